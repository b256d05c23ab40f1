import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import { makeProbes } from './make-probes.js';

const bad = [new ErrorMessage('bad', { id: 'a.E1' })];

async function end() {
  await vi.runAllTimersAsync();
  vi.useRealTimers();
}
afterEach(async () => {
  if (vi.isFakeTimers()) await end();
});

/** One run of the check, as the check saw it. */
interface Run {
  readonly at: number;
  readonly failed: boolean;
}
interface Rules {
  readonly failureThreshold: number;
  readonly successThreshold: number;
  readonly restartAfter: number;
}

/** Whether `count` runs up to the one at `last` came out alike. */
const ended = (runs: readonly Run[], last: number, count: number, failed: boolean) =>
  last + 1 >= count && runs.slice(last + 1 - count, last + 1).every((run) => run.failed === failed);

/** What docs/probes.md promises for a check of this instance, by nothing but its runs. */
function promised(runs: readonly Run[], { failureThreshold, successThreshold, restartAfter }: Rules) {
  const places = runs.map((_run, index) => index);
  const passedOnce = runs.some(({ failed }) => !failed);
  const lastBad = places.findLast((place) => ended(runs, place, failureThreshold, true)) ?? -1;
  const lastGood = places.findLast((place) => ended(runs, place, successThreshold, false)) ?? -1;
  // Before the first success failures keep it out by themselves; that success lets it in at once where failureThreshold was not reached.
  const out = lastBad > lastGood;
  const streak = runs.slice(1 + (places.findLast((place) => !runs[place]?.failed) ?? -1));
  const lasted = (streak.at(-1)?.at ?? 0) - (streak[0]?.at ?? 0);
  const wedged = restartAfter > 0 && out && passedOnce && streak.length > 0 && lasted >= restartAfter;
  return { ready: passedOnce && !out ? 200 : 503, live: wedged ? 503 : 200 };
}

const rules: fc.Arbitrary<Rules> = fc.record({
  failureThreshold: fc.integer({ min: 1, max: 4 }),
  successThreshold: fc.integer({ min: 1, max: 4 }),
  restartAfter: fc.constantFrom(0, 1, 2500, 10_000),
});
/** Long stretches of the same are what the rules are about. */
const stretches = fc.array(
  fc.record({
    failed: fc.boolean(),
    probes: fc.integer({ min: 1, max: 7 }),
    gap: fc.integer({ min: 1000, max: 6000 }),
  }),
  { minLength: 1, maxLength: 8 },
);

it('readyz and livez are what the runs of the check make of the rules, on every timeline', async () => {
  await fc.assert(
    fc.asyncProperty(rules, fc.boolean(), stretches, async (given, isOfCheck, timeline) => {
      // For one check, or for all of them.
      const { health, codes, after } = await makeProbes(isOfCheck ? { restartAfter: 1 } : given);
      const runs: Run[] = [];
      let failed = false;
      health.check(
        'own',
        () => {
          runs.push({ at: performance.now(), failed });
          return failed ? bad : [];
        },
        isOfCheck ? given : {},
      );
      for (const stretch of timeline) {
        ({ failed } = stretch);
        for (let probe = 0; probe < stretch.probes; probe += 1) {
          const [ready, live] = await codes('/readyz', '/livez');
          expect({ ready, live }).toEqual(promised(runs, given));
          await after(stretch.gap);
        }
      }
      expect(runs.length).toBeGreaterThan(0);
      health.close();
      await end();
    }),
    { numRuns: 30 },
  );
}, 30_000);
