import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeapPressure } from '../../src/checks/heap-pressure.js';
import { checks } from 'lifesign';

interface Collection {
  /** Milliseconds since the one before ended. */
  readonly pause: number;
  readonly duration: number;
  readonly used: number | undefined;
}

/** The defaults. */
const rules = { used: 0.9, gc: 0.3, after: 10_000 };

const collection = fc.record({
  pause: fc.integer({ min: 0, max: 4000 }),
  duration: fc.integer({ min: 1, max: 4000 }),
  used: fc.option(fc.constantFrom(0.5, 0.89, 0.9, 0.99), { nil: undefined, freq: 4 }),
});

/** The verdict at the end of each collection. */
function verdicts(collections: readonly Collection[]): boolean[] {
  const pressure = new HeapPressure(rules);
  let now = 0;
  return collections.map(({ pause, duration, used }) => {
    now += pause + duration;
    pressure.add(now, duration, used);
    return pressure.judge(now) !== undefined;
  });
}

describe('the verdict on a heap', () => {
  it('is never full without 10 s in which every full collection left too much, and collections took a third of it', () => {
    fc.assert(
      fc.property(fc.array(collection, { maxLength: 80 }), (collections) => {
        const seen = verdicts(collections);
        let now = 0;
        const ends = collections.map(({ pause, duration }) => (now += pause + duration));
        seen.forEach((isFull, last) => {
          if (!isFull) return;
          const end = ends[last] ?? 0;
          const recent = collections.filter((_, at) => at <= last && (ends[at] ?? 0) > end - rules.after);
          expect(recent.filter(({ used }) => used !== undefined && used < rules.used)).toEqual([]);
          expect(recent.some(({ used }) => used !== undefined)).toBe(true);
          const spent = recent.reduce((sum, { duration }) => sum + duration, 0);
          expect(spent).toBeGreaterThanOrEqual(rules.gc * rules.after);
          expect(end).toBeGreaterThanOrEqual(rules.after);
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('is full after 10 s of collections that take more than a third of the time and leave too much', () => {
    const step = fc.record({
      duration: fc.integer({ min: 100, max: 900 }),
      used: fc.constantFrom(0.9, 0.97, 1),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 700, maxLength: 700 }), (steps) => {
        const seen = verdicts(steps.map(({ duration, used }) => ({ duration, used, pause: duration * 1.8 })));
        expect(seen.at(-1)).toBe(true);
        // One that frees something is enough.
        const freed = steps.map(({ duration, used }, at) => ({
          duration,
          used: at === steps.length - 1 ? 0.89 : used,
          pause: duration * 1.8,
        }));
        expect(verdicts(freed).at(-1)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  it('is not full any more once nothing is collected', () => {
    const pressure = new HeapPressure(rules);
    for (let now = 1000; now <= 60_000; now += 1000) pressure.add(now, 700, 0.99);
    expect(pressure.judge(60_000)).toEqual({ used: 0.99, gc: expect.closeTo(0.7) });
    expect(pressure.judge(95_000)).toBeUndefined();
    pressure.add(96_000, 900, 0.99);
    expect(pressure.judge(96_000)).toBeUndefined();
  });
});

describe('checks.heap', () => {
  it.each([{ used: 0 }, { used: 1.1 }, { gc: '0.5' }, { gc: Number.NaN }, { after: 0 }, { after: 1.5 }])(
    'refuses %j',
    (options) => {
      expect(() => checks.heap(options as never)).toThrow(
        expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
      );
    },
  );
});
