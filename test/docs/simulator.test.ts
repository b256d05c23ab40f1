// The simulator of contributing/scale.md, where what must come out can be said without it.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asksOf, runsOf } from '../../bench/scale/instance.js';
import { arrivals, type Fleet, loadOf, meanOf } from '../../bench/scale/load.js';
import { drain, hungRuns, recover } from '../../bench/scale/outage.js';
import { randomFrom } from '../../bench/scale/random.js';
import { nextTick, sight } from '../../bench/scale/rollout.js';
import { keptOf } from '../../bench/scale/series.js';
import { readConstants } from '../../bench/scale/constants.js';

const fleet: Fleet = {
  instances: 500,
  probers: [{ every: 10 }],
  settings: {},
  seconds: 210,
  seed: 7,
  took: 0.001,
};
const within = (value: number, expected: number, share: number) =>
  expect(Math.abs(value / expected - 1)).toBeLessThan(share);

describe('numbers that look random', () => {
  test('are the same for the same seed and others for another', () => {
    const take = (seed: number) => Array.from({ length: 50 }, randomFrom(seed));
    expect(take(3)).toEqual(take(3));
    expect(take(3)).not.toEqual(take(4));
  });

  test('are spread evenly from 0 to 1', () => {
    const random = randomFrom(11);
    const bins = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 100_000; index += 1) {
      const bin = Math.floor(random() * 10);
      bins[bin] = (bins[bin] ?? NaN) + 1;
    }
    for (const many of bins) within(many, 10_000, 0.05);
  });
});

test('everything comes out the same for the same seed, and differently for another', () => {
  const rollout = {
    instances: 20,
    surge: 0.25,
    startUp: [5, 15],
    failsAfter: 30,
    probeEvery: 10,
    failureThreshold: 3,
    stale: 0,
    scrapeEvery: 15,
    evaluateEvery: 15,
    alertFor: 60,
    rounds: 20,
  } as const;
  const outage = {
    ...fleet,
    lasted: 30,
    kind: 'frozen',
    query: 1e-4,
    connect: 1e-3,
    cores: 2,
  } as const;
  const all = (seed: number) => [
    [...arrivals({ ...fleet, seed, settings: { cacheFor: 30 } })],
    recover({ ...outage, seed }),
    sight({ ...rollout, seed }),
  ];
  expect(all(1)).toEqual(all(1));
  for (const [index, part] of all(1).entries()) expect(part).not.toEqual(all(2)[index]);
});

describe('queries a second', () => {
  test('every probe is a query: instances times the sum of 1 / interval', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 300 }),
        (intervals, instances) => {
          const probers = intervals.map((every) => ({ every }));
          const expected = instances * intervals.reduce((sum, every) => sum + 1 / every, 0);
          within(meanOf({ ...fleet, probers, instances, seconds: 220 }), expected, 0.13);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('coalesce changes nothing where no two heartbeats overlap, and leaves one of those that do', () => {
    const asks = [0, 0.5, 1, 1.05, 1.09, 1.2];
    const random = randomFrom(1);
    expect(runsOf(asks, { coalesce: true }, 0.1, random)).toEqual([0, 0.5, 1, 1.2]);
    expect(runsOf(asks, { coalesce: true }, 0.01, random)).toEqual(asks);
  });

  test('cacheFor: under constant asking, a run in 5/8 of it, as the jitter of the renewal says', () => {
    for (const cacheFor of [5, 20]) {
      const load = meanOf({ ...fleet, probers: [{ every: 0.5 }], settings: { cacheFor }, instances: 200 });
      within(load, 200 / (0.625 * cacheFor), 0.05);
    }
  });

  test('cacheFor shorter than the interval of the probes saves nothing', () => {
    within(meanOf({ ...fleet, settings: { cacheFor: 4 } }), 50, 0.01);
  });

  test('probeEvery: once in it and an eighth, on average, however many ask, or as often as they ask where that is less', () => {
    const probers = Array.from({ length: 8 }, () => ({ every: 1 }));
    within(meanOf({ ...fleet, probers, settings: { probeEvery: 2 }, instances: 100 }), 50 / 1.125, 0.05);
    within(meanOf({ ...fleet, settings: { probeEvery: 2 } }), 50, 0.01);
  });

  test('nobody is answered with a result older than its time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (times, time, verdicts) => {
          const asks = times.toSorted((one, other) => one - other);
          const runs = runsOf(
            asks,
            verdicts ? { probeEvery: time } : { cacheFor: time },
            0.01,
            randomFrom(5),
          );
          // To the time of the probes up to a quarter is added at random.
          const oldest = time * (verdicts ? 1.25 : 1) + 0.01;
          for (const ask of asks) {
            const last = runs.findLast((run) => run <= ask);
            expect(last).toBeDefined();
            expect(ask - (last ?? 0)).toBeLessThanOrEqual(oldest + 1e-9);
          }
        },
      ),
    );
  });

  test('in step all ask in one tenth of a second, unless the jitter of a cache has spread them', () => {
    const inStep = { ...fleet, inStep: true };
    expect(loadOf(inStep).peak).toBe(500);
    expect(loadOf({ ...inStep, settings: { cacheFor: 30 } }).peak).toBeLessThan(60);
  });

  test('asks come at their interval from a phase within it', () => {
    expect(asksOf([{ every: 10 }, { every: 4 }], 20, () => 0.5)).toEqual([2, 5, 6, 10, 14, 15, 18]);
  });
});

describe('after an outage', () => {
  test('first come, first served: all at once take what they cost, shared by the processors', () => {
    const jobs = Array.from({ length: 1000 }, () => ({ at: 0, cost: 0.01 }));
    const { work, done } = drain(jobs, 4);
    within(work, 10, 1e-9);
    within(done, 2.5, 1e-9);
    // What finds a processor free waits for nothing.
    expect(
      drain(
        [
          { at: 0, cost: 1 },
          { at: 5, cost: 1 },
        ],
        1,
      ).done,
    ).toBe(0);
  });

  test('a hung database has one query of an instance, ten of one that coalesces nothing, and rarely more', () => {
    const always = asksOf([{ every: 0.1 }], 600, () => 0);
    expect(hungRuns(always, true, 4)).toBe(1);
    expect(hungRuns(always, false, 4)).toBe(10);
    // Given up after 20 s, 55 s, 120 s, 245 s, 490 s.
    expect([30, 60, 130, 300, 500].map((lasted) => hungRuns(always, true, lasted))).toEqual([2, 3, 4, 5, 6]);
  });

  test('frozen: all of them at once; restarted: as the probes come', () => {
    const outage = {
      ...fleet,
      settings: { coalesce: true },
      lasted: 15,
      query: 1e-4,
      connect: 1e-3,
      cores: 2,
    };
    expect(recover({ ...outage, kind: 'frozen' }).peak).toBeGreaterThanOrEqual(500);
    within(recover({ ...outage, kind: 'restarted' }).firstSecond, 50, 0.3);
    within(recover({ ...outage, kind: 'restarted' }).work, 500 * 1.1e-3, 0.05);
  });
});

describe('a bad build', () => {
  const rollout = {
    instances: 1,
    surge: 1,
    startUp: [10, 10],
    failsAfter: 0,
    probeEvery: 10,
    failureThreshold: 3,
    stale: 0,
    scrapeEvery: 20,
    evaluateEvery: 30,
    alertFor: 60,
    rounds: 4000,
    seed: 3,
  } as const;

  test('of one instance is seen after half of each interval in the median', () => {
    const { probe, fleet: shown, alert } = sight(rollout);
    within(probe.median, 10 + 5 + 20, 0.03);
    within(shown.median, 10 + 5 + 10, 0.03);
    within(alert.median, 10 + 5 + 10 + 15 + 60, 0.03);
    // Of a sum of two even spreads, 10 and 20 wide.
    within(shown.p95, 10 + 30 - Math.sqrt(2 * 10 * 20 * 0.05), 0.03);
  });

  test('that fails at once never goes beyond its first batch', () => {
    for (const way of Object.values(sight({ ...rollout, instances: 100, surge: 0.2, rounds: 50 }))) {
      expect(way.replaced).toBe(20);
    }
  });

  test('is seen earlier the more instances there are, and never before it fails', () => {
    const at = (instances: number) =>
      sight({ ...rollout, instances, failsAfter: 30, rounds: 200 }).fleet.median;
    expect(at(100)).toBeLessThan(at(1));
    expect(at(100)).toBeGreaterThanOrEqual(40);
  });

  test('the next tick of a clock', () => {
    expect([nextTick(0, 3, 10), nextTick(3, 3, 10), nextTick(3.1, 3, 10)]).toEqual([3, 3, 13]);
  });
});

test('what Prometheus keeps grows with instances and checks, and falls with the interval', () => {
  const constants = readConstants();
  const kept = (instances: number, checks: number, scrapeEvery: number) =>
    keptOf({ instances, checks, scrapeEvery }, constants);
  const { base, perCheck } = constants.scrape.series;
  expect(kept(100, 10, 15).series).toBe(100 * (base + 10 * perCheck));
  within(kept(200, 10, 15).bytesPerDay, 2 * kept(100, 10, 15).bytesPerDay, 1e-9);
  within(kept(100, 10, 60).bytesPerSecond, kept(100, 10, 15).bytesPerSecond / 4, 1e-9);
});
