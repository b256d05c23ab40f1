import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { broken } from './invariants.js';
import type { Mutant } from './process.js';
import { run } from './run.js';
import { type Counterexample, search } from './search.js';

const known = JSON.parse(
  readFileSync(new URL('counterexamples.json', import.meta.url), 'utf8'),
) as Counterexample[];

it.each(known)('seed $seed, which broke a promise once', async ({ schedule }) => {
  expect(broken(await run(schedule))).toEqual([]);
});

const fixed = Array.from({ length: 25 }, (_each, index) => 1_000_000 + index);

// `npm run test:simulation` runs as many as it is given.
it('whatever happens to a fleet, the verdicts keep their promises', async () => {
  for (const seed of fixed) expect(await search(seed), `seed ${seed}`).toBeUndefined();
});

/** Defects that the simulation finds within so many schedules. */
const mutants: readonly (readonly [string, Mutant])[] = [
  [
    'a pool without a connection left counts as broken',
    {
      opinion: (opinion) =>
        opinion.evidence.includes('connections in use') ? { ...opinion, scope: 'instance' } : opinion,
    },
  ],
  ['requests that may hold a connection are forgotten', { forgetsRequests: true }],
  ['every failure takes out and restarts', { countsEverything: true }],
  ['peers that are out do not count', { answer: (body) => body.replace('"out"', '"pass"') }],
];

it.each(mutants)('a defect is found: %s', async (_name, mutant) => {
  let found = false;
  for (let seed = 1; seed <= 300 && !found; seed += 1) found = (await search(seed, { mutant })) !== undefined;
  expect(found).toBe(true);
});
