import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogRecord } from 'lifesign';
import { memoryFit, misfitOf } from '../../src/metrics/memory-fit.js';

const mebibyte = 2 ** 20;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  // The Healths of a process say it once: this forgets what the last test said.
  memoryFit(
    () => {},
    () => undefined,
  );
});
afterEach(() => void vi.useRealTimers());

/** The comparison, of limits in MiB that the test sets. */
function makeFit(heap: number, container: number | undefined) {
  const records: LogRecord[] = [];
  const limits = { heap, container };
  const fit = memoryFit(
    (record) => void records.push(record),
    () =>
      limits.container === undefined
        ? undefined
        : { heap: limits.heap * mebibyte, container: limits.container * mebibyte },
  );
  return { fit, limits, said: () => records.splice(0).map(({ level, msg }) => [level, msg]) };
}

test('the flag that a line asks for is one that fits', () => {
  const sizes = fc.integer({ min: 32, max: 2 ** 20 });
  fc.assert(
    fc.property(sizes, sizes, (heap, container) => {
      const misfit = misfitOf({ heap: heap * mebibyte, container: container * mebibyte });
      if (misfit === undefined) return;
      expect(misfit.kind).toBe(heap > container / 2 ? 'above' : 'below');
      const flag = Number(/--max-old-space-size=(\d+)/.exec(misfit.msg)?.[1]);
      expect(misfitOf({ heap: flag * mebibyte, container: container * mebibyte })).toBeUndefined();
    }),
  );
});

test('a heap above the container is a warning with what to write, once, and again after a resize', () => {
  const { fit, limits, said: saidNow } = makeFit(4096, 512);
  for (let looks = 0; looks < 5; looks += 1) {
    fit.onHeartbeat();
    vi.advanceTimersByTime(20_000);
  }
  expect(saidNow()).toEqual([
    [
      30,
      'The heap may grow beyond the container: the heap limit of V8 is 4096 MiB, the memory limit of the container 512 MiB. ' +
        'The kernel would kill the process (exit code 137) before V8 collects enough garbage. ' +
        'Start Node with --max-old-space-size=384, or set NODE_OPTIONS=--max-old-space-size=384.',
    ],
  ]);
  limits.container = 16_384;
  fit.onHeartbeat();
  expect(saidNow()).toEqual([
    [
      20,
      'The heap cannot use the memory of the container: the heap limit of V8 is 4096 MiB, the memory limit of the container 16384 MiB. ' +
        'Start Node with --max-old-space-size=12288, or set NODE_OPTIONS=--max-old-space-size=12288.',
    ],
  ]);
  vi.advanceTimersByTime(20_000);
  limits.container = 6000;
  fit.onHeartbeat();
  expect(saidNow()).toEqual([]);
});

test('is said once by several Healths of a process, and not at all without a limit', () => {
  const none = makeFit(4096, undefined);
  none.fit.onHeartbeat();
  expect(none.said()).toEqual([]);
  const [one, other] = [makeFit(4096, 512), makeFit(4096, 512)];
  one.fit.onHeartbeat();
  other.fit.onHeartbeat();
  expect([...one.said(), ...other.said()]).toHaveLength(1);
});

test('the limits are read at most every ten seconds, however often it is asked to look', () => {
  const read = vi.fn(() => undefined);
  const fit = memoryFit(() => {}, read);
  for (let looks = 0; looks < 100; looks += 1) fit.onHeartbeat();
  expect(read).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  fit.onHeartbeat();
  expect(read).toHaveBeenCalledTimes(2);
});
