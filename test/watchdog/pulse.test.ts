import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pulse } from '../../src/watchdog/thread/pulse.js';

const step = 100;
const busyAfter = 1000;
/** A moment shortly before the clock overflows: every case passes it. */
const end = 2 ** 31 - 1;

/** A thread that looks as it plans to, and a main thread that beats as it should, on a clock that the test sets. */
function together({ origin = 0, skew = 0 } = {}) {
  const at = (ms: number) => Math.trunc(origin + ms) | 0;
  const pulse = new Pulse(step, at(skew), at(0));
  let now = 0;
  let next = pulse.rest(busyAfter);
  let beat = 0;
  let looks = 0;
  let longest = 0;
  const freed: number[] = [];
  /** Time passes; `beats` says whether the main thread beats, `looking` whether this thread runs. */
  const pass = (ms: number, { beats = true, looking = true } = {}) => {
    for (const until = now + ms; now < until; now += 1) {
      if (looking && next <= 0) {
        const silent = pulse.poll(at(beat + skew), at(now));
        looks += 1;
        longest = Math.max(longest, pulse.silent);
        if (silent !== undefined && silent >= busyAfter) freed.push(silent);
        next = pulse.rest(busyAfter);
      }
      // After the look: the worst order for a process that goes on after it was suspended.
      if (beats && now - beat >= step) beat = now;
      next -= 1;
    }
  };
  return { pulse, pass, looks: () => looks, longest: () => longest, freed };
}

const origins = fc.integer({ min: -(2 ** 31), max: end });
const near = fc.integer({ min: 0, max: 5000 });

describe('Pulse', () => {
  it('tells the length of any block, to a beat and a look, wherever the clock stands', () => {
    fc.assert(
      fc.property(origins, near, fc.integer({ min: 1200, max: 5000 }), (origin, before, length) => {
        const { pass, freed } = together({ origin });
        pass(before);
        pass(length, { beats: false });
        pass(1500);
        expect(freed).toHaveLength(1);
        expect(Math.abs((freed[0] ?? 0) - length)).toBeLessThanOrEqual(2 * step + 2);
      }),
      { numRuns: 60 },
    );
  });

  it('notices a block when it is as long as busyAfter', () => {
    fc.assert(
      fc.property(near, (before) => {
        const { pass, longest } = together({ origin: end - 3000 });
        pass(before);
        expect(longest()).toBeLessThan(busyAfter);
        pass(busyAfter + step + 2, { beats: false });
        expect(longest()).toBeGreaterThanOrEqual(busyAfter);
      }),
      { numRuns: 60 },
    );
  });

  it('a time in which both stood still, however long and however often, is no block', () => {
    const gaps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 120, max: 2000 })),
      {
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(near, gaps, (before, all) => {
        const { pass, longest } = together();
        pass(before);
        for (const [stopped, running] of all) {
          pass(stopped, { beats: false, looking: false });
          pass(running);
        }
        expect(longest()).toBeLessThan(busyAfter);
      }),
      { numRuns: 60 },
    );
  });

  it('a clock of the main thread that is another one makes no block and hides none that is long', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), near, (skew, before) => {
        const { pass, longest, freed } = together({ skew });
        pass(before);
        expect(longest()).toBeLessThan(busyAfter);
        pass(3000, { beats: false });
        expect(longest()).toBeGreaterThanOrEqual(busyAfter);
        pass(1000);
        expect(freed).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });

  it('looks less than three times a second while the main thread beats', () => {
    const { pass, looks } = together();
    pass(60_000);
    expect(looks()).toBeLessThan(180);
  });
});
