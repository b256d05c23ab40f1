import fc from 'fast-check';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { drainDelayOf, waitOut } from '../../../src/http/drain/delay.js';
import { Latch } from '../../../src/http/drain/latch.js';

const isTerminal = vi.spyOn(process.getBuiltinModule('node:tty'), 'isatty').mockReturnValue(false);
afterEach(() => {
  vi.unstubAllEnvs();
  isTerminal.mockReturnValue(false);
});
afterAll(() => isTerminal.mockRestore());

/** Which of standard input and output are a terminal. */
const terminals = fc.uniqueArray(fc.constantFrom(0, 1));
const reasons = fc.constantFrom('SIGTERM', 'SIGINT', 'terminating');
const cased = (...words: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...words), fc.boolean(), fc.constantFrom('', ' '))
    .map(([word, upper, end]) => (upper ? word.toUpperCase() : word) + end);
const developing = cased('dev', 'development', 'develop', 'local', 'test', 'testing');
const unset = fc.constantFrom(undefined, '', ' ');
const others = fc.oneof(cased('production', 'prod', 'staging', 'preview', 'qa'), fc.stringMatching(/^x\w*$/));

function delayIn(
  mode: string | undefined,
  tty: readonly number[],
  asked: number | undefined,
  reason: string,
) {
  vi.stubEnv('NODE_ENV', mode);
  isTerminal.mockImplementation((stream) => tty.includes(stream));
  return drainDelayOf(asked, reason);
}

test('a delay that was asked for is kept, wherever the process runs', () => {
  fc.assert(
    fc.property(
      fc.oneof(developing, unset, others),
      terminals,
      reasons,
      fc.nat(),
      (mode, tty, reason, asked) => {
        expect(delayIn(mode, tty, asked, reason)).toEqual({ ms: asked, why: '', endsWithParent: false });
      },
    ),
  );
});

test('nobody waits while developing or testing', () => {
  fc.assert(
    fc.property(developing, terminals, reasons, (mode, tty, reason) => {
      const { ms, why } = delayIn(mode, tty, undefined, reason);
      expect([ms, why]).toEqual([0, `NODE_ENV is ${mode.trim().toLowerCase()}`]);
    }),
  );
});

test('without NODE_ENV a process waits unless it runs at a terminal: containers have none', () => {
  fc.assert(
    fc.property(unset, terminals, reasons, (mode, tty, reason) => {
      expect(delayIn(mode, tty, undefined, reason).ms).toBe(tty.length === 0 ? 5000 : 0);
    }),
  );
});

test('any other NODE_ENV waits, except for Ctrl-C at a terminal', () => {
  fc.assert(
    fc.property(others, terminals, reasons, (mode, tty, reason) => {
      const { ms, endsWithParent } = delayIn(mode, tty, undefined, reason);
      const interrupted = reason === 'SIGINT' && tty.includes(0);
      expect(ms).toBe(interrupted ? 0 : 5000);
      if (/^prod/i.test(mode)) expect(endsWithParent).toBe(false);
    }),
  );
});

test('the wait ends when it is hurried, and leaves no timer', async () => {
  vi.useFakeTimers();
  try {
    const hurry = new Latch();
    const over = waitOut({ ms: 5000, why: '', endsWithParent: true }, hurry.whenSet);
    expect(vi.getTimerCount()).toBe(2);
    hurry.set();
    expect(await over).toBe('over');
    expect(vi.getTimerCount()).toBe(0);
    const whole = waitOut({ ms: 5000, why: '', endsWithParent: true }, new Latch().whenSet);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await whole).toBe('over');
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
