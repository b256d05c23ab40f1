import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Heartbeat } from 'lifesign';
import { realClock } from '../../src/core/clock.js';
import { Runner } from '../../src/probes/runner.js';

const rethrow = (thrown: unknown) => {
  throw thrown;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An instance whose runs are counted. */
function instance(probeEvery: number, took = 0) {
  const runs: number[] = [];
  const run = async (): Promise<Heartbeat> => {
    runs.push(performance.now());
    if (took > 0) await new Promise<void>((resolve) => setTimeout(resolve, took));
    return { status: 'ok', level: 0, failed: false, results: [] } as unknown as Heartbeat;
  };
  return {
    runs,
    runner: new Runner({ run, take: () => {}, probeEvery, clock: realClock, onError: rethrow }),
  };
}

it('runs come at least probeEvery apart, and at most a quarter later while somebody asks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 50, max: 5000 }),
      fc.integer({ min: 0, max: 200 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 50, maxLength: 200 }),
      async (probeEvery, took, gaps) => {
        const { runs, runner } = instance(probeEvery, took);
        for (const gap of gaps) {
          void runner.refresh();
          await vi.advanceTimersByTimeAsync(gap);
        }
        const widest = Math.max(...gaps);
        for (const [index, at] of runs.slice(1).entries()) {
          const apart = at - (runs[index] ?? NaN);
          expect(apart).toBeGreaterThanOrEqual(probeEvery);
          // Or when the one before is over, and somebody asks.
          expect(apart).toBeLessThanOrEqual(Math.max(probeEvery * 1.25, took) + widest + 2);
        }
        runner.close();
        await vi.runAllTimersAsync();
      },
    ),
    { numRuns: 50 },
  );
});

it('a fleet that is asked in step does not run in step for long', async () => {
  const fleet = Array.from({ length: 50 }, () => instance(1000));
  for (let second = 0; second < 25; second += 1) {
    for (const { runner } of fleet) {
      void runner.refresh();
    }
    await vi.advanceTimersByTimeAsync(500);
    for (const { runner } of fleet) void runner.refresh();
    await vi.advanceTimersByTimeAsync(500);
  }
  const busiest = (from: number) => {
    const tenths = new Map<number, number>();
    for (const { runs } of fleet) {
      for (const at of runs.filter((each) => each >= from && each < from + 5000)) {
        const tenth = Math.floor(at / 100);
        tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
      }
    }
    return Math.max(...tenths.values());
  };
  const start = fleet[0]?.runs[0] ?? 0;
  expect(busiest(start)).toBe(50);
  // Spread evenly it would be about five.
  expect(busiest(start + 20_000)).toBeLessThan(25);
  for (const { runner } of fleet) runner.close();
});

it('confirm runs the checks once more when a run is due, though nobody asks, and not twice', async () => {
  const { runs, runner } = instance(1000);
  runner.onHeartbeat({ status: 'ok', level: 0, failed: false, results: [] });
  runner.confirm();
  runner.confirm();
  await vi.advanceTimersByTimeAsync(999);
  expect(runs).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(252);
  expect(runs).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toHaveLength(1);
  runner.close();
});

it('a heartbeat is taken once, and none but its own while a run is under way', async () => {
  const take = vi.fn<(heartbeat: Heartbeat) => void>();
  const own: Heartbeat = { status: 'ok', level: 0, failed: false, results: [] };
  const other: Heartbeat = { status: 'error', level: 40, failed: true, results: [] };
  const run = () => new Promise<Heartbeat>((resolve) => setTimeout(resolve, 5000, own));
  const runner = new Runner({ run, take, probeEvery: 1000, clock: realClock, onError: rethrow });
  void runner.refresh();
  await vi.advanceTimersByTimeAsync(2000);
  // A run is due, and one is under way.
  runner.onHeartbeat(other);
  expect(take).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(3000);
  expect(take.mock.calls).toEqual([[own]]);
  void runner.refresh(true);
  await vi.advanceTimersByTimeAsync(5000);
  expect(take).toHaveBeenCalledTimes(1);
  runner.close();
});

it('an error in taking the results is handed on, and the next run comes', async () => {
  const thrown = new Error('ours');
  const errors: unknown[] = [];
  let runs = 0;
  const run = async (): Promise<Heartbeat> =>
    ({ status: 'ok', level: 0, failed: false, results: [], runs: (runs += 1) }) as Heartbeat;
  const take = () => {
    throw thrown;
  };
  const runner = new Runner({
    run,
    take,
    probeEvery: 1000,
    clock: realClock,
    onError: (error) => void errors.push(error),
  });
  await runner.refresh();
  await vi.advanceTimersByTimeAsync(2000);
  await runner.refresh();
  expect(runs).toBe(2);
  expect(errors).toEqual([thrown, thrown]);
  runner.close();
});
