import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { broken } from './invariants.js';
import type { Mutant } from './process.js';
import { run } from './run.js';
import { type Counterexample, scheduleOf } from './search.js';
import { whole } from '../../whole.js';

const known = JSON.parse(
  readFileSync(new URL('counterexamples.json', import.meta.url), 'utf8'),
) as Counterexample[];

/** Larger fleets take seconds each: `npm run test:simulation` replays those, too. Half of the others are replayed here. */
const small = known.filter(({ schedule }) => schedule.instances <= 8);

it.each(whole ? small : small.slice(0, Math.ceil(small.length / 2)))(
  'seed $seed, which broke a promise once',
  async ({ schedule }) => {
    expect(broken(await run(schedule))).toEqual([]);
  },
);

/** Of those with few instances; `npm run test:simulation` runs as many as it is given. */
const fixed = Array.from({ length: 25 }, (_each, index) => scheduleOf(1_000_000 + index)).filter(
  ({ instances }) => instances <= 4,
);

it('whatever happens to a fleet, the verdicts keep their promises', async () => {
  expect(fixed.length).toBeGreaterThan(5);
  for (const schedule of fixed) expect(broken(await run(schedule)), JSON.stringify(schedule)).toEqual([]);
});

it('a database that goes away and comes back every second takes no instance out', async () => {
  for (const seed of [5, 30, 750_228_903, 291_627_287]) {
    for (const peers of [true, false]) {
      const fleet = { seed, instances: 4, peers, poolSize: 2, checkEvery: 3, startup: 1, trafficEvery: 1 };
      const fault = {
        kind: 'flapping',
        at: 24,
        lasts: 100,
        share: 1,
        amount: seed < 10 ? 0.005 : 0,
      } as const;
      const { lefts } = await run({ ...fleet, loads: [], faults: [fault] });
      expect(lefts, JSON.stringify({ seed, peers })).toEqual([]);
    }
  }
});

it.each(['slow path', 'partition'] as const)(
  'a %s of one instance takes it out in time, with peers, whatever is asked of it',
  async (kind) => {
    const load = { at: 40, lasts: 150, requests: 2, every: 2, query: 5, hold: 0, patience: 5000 };
    for (const [seed, trafficEvery, loads] of [
      [1, 0, []],
      [2, 1, []],
      [3, 4, [load]],
    ] as const) {
      const fleet = { seed, instances: 4, peers: true, poolSize: 1 + seed, checkEvery: 2, startup: 3 };
      const fault = { kind, at: 50, lasts: 100, share: 0, amount: 0.6 };
      const seen = await run({ ...fleet, trafficEvery, loads, faults: [fault] });
      expect(broken(seen), JSON.stringify({ seed, kind })).toEqual([]);
      expect(seen.lefts).toHaveLength(1);
    }
  },
);

/** Defects, and a schedule each that shows them. */
const mutants: readonly (readonly [string, number, Mutant])[] = [
  [
    'a pool without a connection left counts as broken',
    11,
    {
      opinion: (opinion) =>
        opinion.evidence.includes('connections in use') ? { ...opinion, scope: 'instance' } : opinion,
    },
  ],
  ['requests that may hold a connection are forgotten', 35, { forgetsRequests: true }],
  ['every failure takes out and restarts', 1, { countsEverything: true }],
  ['peers that are out do not count', 450, { answer: (body) => body.replace('"out"', '"pass"') }],
];

it.each(mutants)('a defect is found: %s', async (_name, seed, mutant) => {
  expect(broken(await run(scheduleOf(seed)))).toEqual([]);
  expect(broken(await run(scheduleOf(seed), mutant))).not.toEqual([]);
});
