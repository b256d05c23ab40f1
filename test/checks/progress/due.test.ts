import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Due } from '../../../src/checks/schedule.js';

const every = 1000;
const grace = 200;

type Step =
  | { readonly does: 'run' | 'look' }
  | { readonly does: 'wait'; readonly ms: number }
  /** Somebody sets the clock. */
  | { readonly does: 'set'; readonly by: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 300 }) }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('look' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('run' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('set' as const), by: fc.integer({ min: -1e7, max: 1e7 }) }),
  },
);

describe('a schedule', () => {
  it('is overdue when the last run is, and never because of a clock that was set', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 100 }), (given) => {
        let steady = 5000;
        let wall = 1.8e12;
        let ranAt = steady;
        let last: number | undefined;
        let gap = 0;
        let widest = 0;
        const due = new Due(every, steady);
        due.at(steady, wall, last);
        for (const each of given) {
          if (each.does === 'wait') {
            steady += each.ms;
            wall += each.ms;
            gap += each.ms;
            widest = Math.max(widest, gap);
          }
          if (each.does === 'set') wall += each.by;
          if (each.does === 'run') {
            ranAt = steady;
            // Two runs are never told by the same number, unless the clock was set to the millisecond.
            last = last === wall ? wall + 0.5 : wall;
          }
          if (each.does !== 'look') continue;
          gap = 0;
          const late = due.at(steady, wall, last);
          const truth = steady - ranAt - every;
          // What a clock that was set hides is at most the time between two looks.
          expect(Math.abs(late - truth)).toBeLessThanOrEqual(widest + 1);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('has time for its first run, and is late after that', () => {
    const due = new Due(every, 0);
    const at = (ms: number) => due.at(ms, 1.8e12 + ms, undefined) > grace;
    expect([0, 500, 1000, 1200].map(at)).toEqual([false, false, false, false]);
    expect([1201, 5000].map(at)).toEqual([true, true]);
  });

  it('knows of a last run before it was started', () => {
    const wall = 1.8e12;
    expect(new Due(every, 10).at(10, wall, wall - 900)).toBe(-100);
    expect(new Due(every, 10).at(10, wall, wall - 9000)).toBe(8000);
    // A clock that is ahead, as of a database.
    expect(new Due(every, 10).at(10, wall, wall + 60_000)).toBe(-1000);
  });
});
