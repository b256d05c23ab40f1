import { createServer } from 'node:http';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { drainOnSignals } from 'lifesign/drain';
import { makeHealth } from '../../core/make-health.js';
import { until } from '../../core/waiting.js';

const isTerminal = vi.spyOn(process.getBuiltinModule('node:tty'), 'isatty').mockReturnValue(false);
afterEach(() => {
  vi.unstubAllEnvs();
  isTerminal.mockReturnValue(false);
});
afterAll(() => isTerminal.mockRestore());

/** Which of standard input and output are a terminal. */
const choices: readonly (readonly number[])[] = [[], [0], [1], [0, 1]];
const reasons = ['SIGTERM', 'SIGINT', 'terminating'];
const later = 5000;
const unset = 'NODE_ENV is not set and this is a terminal';

/** The first line of a drain in such a process. */
async function lineIn(mode: string | undefined, tty: readonly number[], reason: string, delay?: number) {
  vi.stubEnv('NODE_ENV', mode);
  isTerminal.mockImplementation((stream) => tty.includes(stream));
  const { health, records } = makeHealth();
  const drain = drainOnSignals(health, { server: createServer(), exit: () => {}, delay });
  void drain.start(reason);
  await until(() => records.length > 0);
  drain.stop();
  return records[0]?.msg;
}
const closes = (reason: string, ms: number, why = '') =>
  `Draining (${reason}): the server closes in ${ms} ms${why && ` (${why})`}`;

test.each<
  [
    what: string,
    modes: readonly (string | undefined)[],
    expected: (tty: readonly number[], reason: string, mode: string) => readonly [number, string?],
  ]
>([
  [
    'nobody waits while developing or testing',
    ['dev', 'DEVELOPMENT', 'develop ', 'local', 'test', 'testing'],
    (_tty, _reason, mode) => [0, `NODE_ENV is ${mode.trim().toLowerCase()}`],
  ],
  [
    'without NODE_ENV a process waits unless it runs at a terminal: containers have none',
    [undefined, '', ' '],
    (tty) => (tty.length === 0 ? [later] : [0, unset]),
  ],
  [
    'any other NODE_ENV waits, except for Ctrl-C at a terminal',
    ['production', 'PROD', 'staging', 'x'],
    (tty, reason) => (reason === 'SIGINT' && tty.includes(0) ? [0, 'SIGINT at a terminal'] : [later]),
  ],
])('%s', async (_what, modes, expected) => {
  for (const mode of modes) {
    for (const tty of choices) {
      for (const reason of reasons) {
        const line = closes(reason, ...expected(tty, reason, mode ?? ''));
        expect([mode, tty, await lineIn(mode, tty, reason)]).toEqual([mode, tty, line]);
      }
    }
  }
});

test('a delay that was asked for is kept, wherever the process runs', async () => {
  for (const mode of ['test', undefined, 'production']) {
    for (const tty of choices) {
      expect(await lineIn(mode, tty, 'SIGINT', 70)).toBe(closes('SIGINT', 70));
    }
  }
});
