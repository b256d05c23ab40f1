// A descriptor that does as the test says: what processes see of a real one is in stdout*.process.test.ts.
import fs from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** The timers that were set. The writer keeps the functions for them that it finds when it is loaded. */
const timers = vi.hoisted(() => {
  vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout', 'clearTimeout'] });
  const made: NodeJS.Timeout[] = [];
  const { setTimeout } = globalThis;
  const noted = (then: () => void, ms: number) => {
    const timer = setTimeout(then, ms);
    made.push(timer);
    return timer;
  };
  globalThis.setTimeout = Object.assign(noted, setTimeout);
  return made;
});
const { LineWriter, mostWaiting } = await import('../../../src/logging/stdout/line-writer.js');
const { midLine } = await import('../../../src/logging/stdout/mid-line.js');
const { logLines } = await import('../../../src/core/log.js');

const fd = 4711;
/** Bytes that a write takes at the most, or the code of the error that it throws. */
type Take = number | 'EAGAIN' | 'EINTR' | 'ENOSPC' | 'EPIPE' | 'EBADF' | 'ECONNRESET';

/** What stands behind the descriptor. After the last of `takes` it takes everything. */
class Descriptor {
  text = '';
  takes: Take[] = [];
  writes = 0;
  isPipe = false;
  isClosed = false;

  write(bytes: Uint8Array, start: number, length: number): number {
    this.writes += 1;
    const take = this.takes.shift() ?? length;
    if (typeof take === 'string') throw Object.assign(new Error(take), { code: take });
    const taken = Math.min(take, length);
    this.text += Buffer.from(bytes.subarray(start, start + taken)).toString('latin1');
    return taken;
  }
}

let descriptor: Descriptor;
/** Bytes that the application's stream has not written. */
let pending = 0;
let added: [string | symbol, (event: string) => void][] = [];

beforeEach(() => {
  descriptor = new Descriptor();
  const { writeSync, fstatSync } = fs;
  vi.spyOn(fs, 'writeSync').mockImplementation((...given: readonly unknown[]) => {
    const [to, bytes, start, length] = given as [number, Uint8Array, number, number];
    return to === fd ? descriptor.write(bytes, start, length) : Reflect.apply(writeSync, fs, given);
  });
  vi.spyOn(fs, 'fstatSync').mockImplementation(((...given: readonly unknown[]) => {
    if (given[0] !== fd) return Reflect.apply(fstatSync, fs, given);
    if (descriptor.isClosed) throw Object.assign(new Error('EBADF'), { code: 'EBADF' });
    return { isFIFO: () => descriptor.isPipe, isSocket: () => false, size: descriptor.text.length };
  }) as typeof fs.fstatSync);
  pending = 0;
  vi.spyOn(process.stdout, 'writableLength', 'get').mockImplementation(() => pending);
  for (const name of ['on', 'once', 'prependListener'] as const) {
    vi.spyOn(process, name).mockImplementation(
      (event: string | symbol, listener: (event: string) => void) => {
        added.push([event, listener]);
        return process;
      },
    );
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.clearAllTimers();
  added = [];
  delete midLine.onChange;
});

/** Calls what the writer has registered for an event of the process. */
function emit(event: string): void {
  for (const [name, listener] of added.filter(([registered]) => registered === event)) listener(String(name));
}

const report = (dropped: number) => `${dropped} dropped\n`;
const numbered = (n: number, length = 0) => `${String(n).padStart(length, '0')}\n`;
const settle = () => void vi.runAllTimers();

it('lines of a turn are one write', () => {
  const writer = new LineWriter(fd);
  for (const n of [1, 2, 3]) writer.write(numbered(n), report);
  expect([descriptor.text, writer.waits]).toEqual(['', true]);
  settle();
  expect([descriptor.text, descriptor.writes, writer.waits]).toEqual(['1\n2\n3\n', 1, false]);
});

const passing = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom<Take>('EAGAIN', 'EINTR', 'ENOSPC'));

it('whatever a file takes, refuses and takes later: every line is there, whole, once and in order', () => {
  fc.assert(
    fc.property(
      fc.array(passing, { maxLength: 60 }),
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      (takes, lengths, ending) => {
        descriptor = new Descriptor();
        descriptor.takes = [...takes];
        added = [];
        const cuts: boolean[] = [];
        midLine.onChange = (cut) => void cuts.push(cut);
        const writer = new LineWriter(fd);
        const lines = lengths.map((length, n) => numbered(n, length));
        lines.forEach((line, n) => {
          writer.write(line, report);
          if (n % 3 === 0) vi.advanceTimersToNextTimer();
        });
        if (ending && !takes.includes('ENOSPC')) emit('exit');
        settle();
        expect(descriptor.text).toBe(lines.join(''));
        expect(cuts.at(-1)).toBe(false);
        expect([writer.waits, writer.closed]).toEqual([false, false]);
      },
    ),
    { numRuns: 300 },
  );
});

it('a pipe gets whole lines, as many as it takes in one piece', () => {
  descriptor.isPipe = true;
  descriptor.takes = ['EAGAIN', 'EAGAIN'];
  const writer = new LineWriter(fd);
  for (let n = 0; n < 100; n += 1) writer.write(numbered(n, 99), report);
  settle();
  expect(descriptor.text.split('\n').slice(0, -1).map(Number)).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  );
  // 40 lines of 100 bytes are in a piece.
  expect(descriptor.writes).toBe(2 + 3);
});

it.each<Take>(['EPIPE', 'EBADF', 'ECONNRESET'])('after %s nothing is written any more', (gone) => {
  descriptor.takes = [gone];
  const writer = new LineWriter(fd);
  writer.write('a\n', report);
  settle();
  expect([writer.closed, descriptor.text]).toEqual([true, '']);
  writer.write('b\n', report);
  settle();
  expect([descriptor.writes, writer.waits]).toEqual([1, false]);
});

it('of a descriptor that is closed from the start the first write says so', () => {
  descriptor.isClosed = true;
  descriptor.takes = ['EBADF'];
  const writer = new LineWriter(fd);
  writer.write('a\n', report);
  settle();
  expect([writer.closed, descriptor.text]).toEqual([true, '']);
});

it('what does not fit the buffer is dropped, counted and reported once there is room', () => {
  const before = logLines.dropped;
  descriptor.takes = Array.from({ length: 6 }, () => 'EAGAIN');
  const writer = new LineWriter(fd);
  const large = `${'x'.repeat(mostWaiting / 2 - 1)}\n`;
  for (let n = 0; n < 5; n += 1) writer.write(large, report);
  expect(logLines.dropped - before).toBe(3);
  settle();
  expect(descriptor.text.slice(mostWaiting)).toBe('3 dropped\n');
  expect(descriptor.text.slice(0, mostWaiting) === large + large).toBe(true);
});

it('while a line waits for room the stream of the application is corked', () => {
  const cork = vi.spyOn(process.stdout, 'cork').mockReturnValue();
  const uncork = vi.spyOn(process.stdout, 'uncork').mockReturnValue();
  descriptor.takes = ['EAGAIN', 'EAGAIN'];
  const writer = new LineWriter(fd);
  writer.write('a\n', report);
  vi.advanceTimersToNextTimer();
  expect([cork.mock.calls.length, uncork.mock.calls.length, writer.waits]).toEqual([1, 0, true]);
  settle();
  expect([cork.mock.calls.length, uncork.mock.calls.length, descriptor.text]).toEqual([1, 1, 'a\n']);
});

it('nothing is written into what the application has under way', () => {
  pending = 5;
  const writer = new LineWriter(fd);
  writer.write('a\n', report);
  vi.advanceTimersByTime(200);
  expect([descriptor.writes, writer.waits]).toEqual([0, true]);
  pending = 0;
  settle();
  expect(descriptor.text).toBe('a\n');
});

it('half a line is given up where somebody has written after it', () => {
  const before = logLines.dropped;
  descriptor.takes = [3, 'ENOSPC'];
  const writer = new LineWriter(fd);
  writer.write('12345\n', report);
  writer.write('67890\n', report);
  vi.advanceTimersToNextTimer();
  expect(descriptor.text).toBe('123');
  descriptor.text += 'theirs\n';
  settle();
  expect(descriptor.text).toBe('123theirs\n67890\n1 dropped\n');
  expect(logLines.dropped - before).toBe(1);
});

it('half a line is given up where it holds back too much of the application', () => {
  vi.spyOn(process.stdout, 'cork').mockReturnValue();
  const uncork = vi.spyOn(process.stdout, 'uncork').mockReturnValue();
  descriptor.takes = [3, 'ENOSPC', 'ENOSPC'];
  const writer = new LineWriter(fd);
  writer.write('12345\n', report);
  vi.advanceTimersToNextTimer();
  pending = mostWaiting + 1;
  vi.advanceTimersToNextTimer();
  expect(uncork).toHaveBeenCalledOnce();
  pending = 0;
  settle();
  expect(descriptor.text).toBe('123\n1 dropped\n');
});

it('at the end of the process everything is written, after a line feed where the application left half a line', () => {
  pending = 5;
  descriptor.takes = ['EAGAIN', 'EAGAIN'];
  const writer = new LineWriter(fd);
  writer.write('a\n', report);
  emit('exit');
  expect(descriptor.text).toBe('\na\n');
  writer.write('b\n', report);
  expect(descriptor.text).toBe('\na\n\nb\n');
});

it('the process is kept alive only while the application waits for us', () => {
  vi.spyOn(process.stdout, 'cork').mockReturnValue();
  descriptor.takes = ['EAGAIN'];
  const keepsAlive = () => timers.at(-1)?.hasRef();
  new LineWriter(fd).write('a\n', report);
  vi.advanceTimersToNextTimer();
  expect(keepsAlive()).toBe(false);
  emit('beforeExit');
  expect(keepsAlive()).toBe(false);
  pending = 1;
  emit('beforeExit');
  expect(keepsAlive()).toBe(true);
  settle();
  expect(descriptor.text).toBe('a\n');
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])('%s that nobody handles: lines first, then the signal', (signal) => {
  const sent: unknown[] = [];
  vi.spyOn(process, 'kill').mockImplementation((_pid, name) => {
    sent.push(name, descriptor.text);
    return true;
  });
  vi.spyOn(process, 'listenerCount').mockReturnValue(0);
  vi.spyOn(process, 'removeListener').mockReturnValue(process);
  descriptor.takes = ['EAGAIN', 'EAGAIN', 'EINTR'];
  const writer = new LineWriter(fd);
  writer.write('a\n', report);
  const removed = vi.spyOn(process, 'removeAllListeners').mockReturnValue(process);
  emit(signal);
  expect(sent).toEqual([signal, 'a\n']);
  // A second one ends the process while it waits for its reader.
  expect(removed.mock.calls.flat()).toEqual(['SIGTERM', 'SIGINT', 'SIGHUP']);
  // It was not the end: everything goes on.
  writer.write('b\n', report);
  settle();
  expect(descriptor.text).toBe('a\nb\n');
});

it('a signal that the application handles: lines are written at once, for there may be no next turn', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  vi.spyOn(process, 'listenerCount').mockReturnValue(1);
  vi.spyOn(process, 'removeListener').mockReturnValue(process);
  const writer = new LineWriter(fd);
  writer.write('a\n', report);
  emit('SIGTERM');
  expect(descriptor.text).toBe('a\n');
  writer.write('b\n', report);
  expect(descriptor.text).toBe('a\nb\n');
  settle();
  writer.write('c\n', report);
  expect(descriptor.text).toBe('a\nb\n');
  settle();
  expect(descriptor.text).toBe('a\nb\nc\n');
  expect(kill).not.toHaveBeenCalled();
});
