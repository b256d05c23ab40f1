import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { type CheckOptions, Error as ErrorMessage } from 'lifesign/checks';
import { type Opinion, withScope } from '../../src/core/heartbeat/check.js';
import { makeProbes } from './make-probes.js';

afterEach(async () => {
  if (vi.isFakeTimers()) await vi.runAllTimersAsync();
  vi.useRealTimers();
});

const bad = [new ErrorMessage('bad', { id: 'a.E1' })];
const works: Opinion = { scope: 'instance', evidence: 'a fresh connection works' };

/** A built-in check of a client whose failures are its own: fails from `from` on. */
const clientCheck = (from: number, proves = true) =>
  withScope(() => (performance.now() >= from ? bad : []), 'auto', {
    dependency: {},
    proves,
    ask: async () => works,
  });

/** Seconds until `/livez` fails, probed each second for five minutes. */
async function secondsToRestart({ codes, after }: Awaited<ReturnType<typeof makeProbes>>) {
  for (let second = 0; second < 300; second += 1) {
    const [live] = await codes('/livez', '/readyz');
    if (live === 503) return second;
    await after(1000);
  }
  return undefined;
}

it('a proven failure of a client fails livez after a minute by default, and after up to half of that more by chance', async () => {
  const probes = await makeProbes();
  probes.health.check('db', clientCheck(performance.now() + 2000));
  const first = await secondsToRestart(probes);
  expect(first).toBeGreaterThanOrEqual(60);
  expect(first).toBeLessThan(70);
  probes.health.close();
  const other = await makeProbes();
  vi.spyOn(Math, 'random').mockReturnValue(0.99);
  other.health.check('db', clientCheck(performance.now() + 2000));
  const second = await secondsToRestart(other);
  expect(second).toBeGreaterThanOrEqual(89);
  other.health.close();
});

it.each<[string, { from?: number; proves?: boolean }, CheckOptions]>([
  ['has never passed', { from: 0 }, {}],
  ['is one of the user', { proves: false }, {}],
  ['has a scope that was set', {}, { scope: 'instance' }],
  ['is not to be restarted', {}, { restartAfter: 0 }],
])('a check that %s never does by default', async (_name, { from = 2000, proves = true }, options) => {
  const probes = await makeProbes();
  probes.health.check('db', clientCheck(performance.now() + from, proves), options);
  expect(await secondsToRestart(probes)).toBeUndefined();
  probes.health.close();
});

it('restartAfter: 0 turns it off for all', async () => {
  const probes = await makeProbes({ restartAfter: 0 });
  probes.health.check('db', clientCheck(performance.now() + 2000));
  expect(await secondsToRestart(probes)).toBeUndefined();
  probes.health.close();
});

it('whenever it fails and comes back, livez fails only after a minute of proven trouble without a break', async () => {
  const phases = fc.array(
    fc.record({ fails: fc.boolean(), own: fc.boolean(), seconds: fc.integer({ min: 1, max: 100 }) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  await fc.assert(
    fc.asyncProperty(phases, async (all) => {
      const { health, codes, after } = await makeProbes();
      let now = { fails: false, own: true };
      const ask = async (): Promise<Opinion> =>
        now.own ? works : { scope: 'shared', evidence: 'fails too' };
      const check = () => (now.fails ? bad : []);
      health.check('db', withScope(check, 'auto', { dependency: {}, proves: true, ask }));
      await codes('/readyz');
      let lasted = 0;
      for (const { seconds, ...phase } of all) {
        now = phase;
        for (let second = 0; second < seconds; second += 1) {
          await after(1000);
          const [live] = await codes('/livez', '/readyz');
          lasted = phase.fails ? lasted + 1 : 0;
          if (lasted < 60) expect(live).toBe(200);
        }
      }
      health.close();
      await vi.runAllTimersAsync();
      vi.useRealTimers();
    }),
    { numRuns: 10 },
  );
}, 60_000);
