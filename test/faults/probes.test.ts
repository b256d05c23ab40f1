import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart } from '../services/index.js';
import { Fleet } from './fleet/fleet.js';
import { compiled } from '../compiled/index.js';
import { chosen } from '../whole.js';

const here = (name: string) => compiled(new URL(name, import.meta.url));
const args = ['--import', here('fleet/short-limits.ts'), here('fleet/app.ts')];
const wiring = { name: 'lifesign', ready: '/readyz', live: '/livez', args };

type Fault = readonly [
  name: string,
  title: string,
  inflict: (fleet: Fleet) => unknown,
  end: ((fleet: Fleet) => unknown) | undefined,
  lasting: number,
  outcome: object,
];
const faults: readonly Fault[] = [
  [
    'database killed',
    'stay in rotation, none is restarted, and users saw that the trouble was real',
    ({ database }) => database.kill(),
    ({ database }) => database.restart(),
    6000,
    { fewest: 4, evicted: [], restarted: [], failed: expect.toSatisfy((count) => count > 0) },
  ],
  [
    'path cut',
    'lose the one whose way to the database is cut, without a restart, and get it back',
    ({ tunnels }) => tunnels[1]?.cut(),
    ({ tunnels }) => tunnels[1]?.mend(),
    10_000,
    { fewest: 3, evicted: [1], restarted: [], recovery: expect.anything() },
  ],
  [
    'path slow',
    'lose the one whose way is only slow, while requests fill its pool, and get it back',
    ({ tunnels }) => tunnels[1]?.delay(3000),
    ({ tunnels }) => tunnels[1]?.mend(),
    20_000,
    { fewest: 3, evicted: [1], restarted: [], recovery: expect.anything() },
  ],
  [
    'pool wedged',
    'replace the dead connections of one of them, without a restart',
    ({ tunnels }) => tunnels[1]?.blackhole(),
    undefined,
    1000,
    {
      evicted: expect.toSatisfy((all) => all.every((index: number) => index === 1)),
      restarted: [],
      recovery: expect.anything(),
    },
  ],
  [
    'pool leaked',
    'lose the one whose pool is leaked, and only that one is restarted',
    ({ instances }) => fetch(`${instances[2]?.origin}/leak`),
    undefined,
    1000,
    { fewest: 3, evicted: [2], restarted: [2] },
  ],
];

/** The whole matrix, with the peers, is npm run test:probes. */
describe.skipIf(!canStart('haproxy') || !canStart('postgres'))('four instances behind HAProxy', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(wiring, { peers: true });
  });
  afterAll(() => fleet?.stop());

  it.each(chosen(faults, 'database killed', 'path cut'))(
    '%s: %s',
    async (name, _title, inflict, end, lasting, expected) => {
      const ending = end && { end: () => end(fleet) };
      const outcome = await fleet.suffer(() => inflict(fleet), { lasting, ...ending });
      console.log(`[fault] ${name}: ${JSON.stringify(outcome)}`);
      expect(outcome).toMatchObject(expected);
    },
  );
});
