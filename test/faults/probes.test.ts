import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart } from '../services/index.js';
import { Fleet } from './fleet/fleet.js';
import { compiled } from '../compiled/index.js';
import { chosen } from '../whole.js';

const here = (name: string) => compiled(new URL(name, import.meta.url));
const args = ['--import', here('fleet/short-limits.ts'), here('fleet/app.ts')];
const wiring = { name: 'lifesign', ready: '/readyz', live: '/livez', args };

const taken = chosen(
  ['database killed', 'path cut', 'path slow', 'pool wedged', 'pool leaked'],
  'database killed',
  'path cut',
);

/** The whole matrix, with the peers, is npm run test:probes. */
describe.skipIf(!canStart('haproxy') || !canStart('postgres'))('four instances behind HAProxy', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(wiring, { peers: true });
  });
  afterAll(() => fleet?.stop());

  it.runIf(taken.includes('database killed'))(
    'stay in rotation while the database they share is down, and none is restarted',
    async () => {
      const outcome = await fleet.suffer(() => fleet.database.kill(), {
        lasting: 6000,
        end: () => fleet.database.restart(),
      });
      console.log(`[fault] database killed: ${JSON.stringify(outcome)}`);
      expect(outcome).toMatchObject({ fewest: 4, evicted: [], restarted: [] });
      // Users got an error page: the trouble was real.
      expect(outcome.failed).toBeGreaterThan(0);
    },
  );

  it.runIf(taken.includes('path cut'))(
    'lose the one whose way to the database is cut, without a restart, and get it back',
    async () => {
      const outcome = await fleet.suffer(() => fleet.tunnels[1]?.cut(), {
        lasting: 10_000,
        end: () => fleet.tunnels[1]?.mend(),
      });
      console.log(`[fault] path cut: ${JSON.stringify(outcome)}`);
      expect(outcome).toMatchObject({ fewest: 3, evicted: [1], restarted: [] });
      expect(outcome.recovery).toBeDefined();
    },
  );

  it.runIf(taken.includes('path slow'))(
    'lose the one whose way to the database is only slow, while requests fill its pool, and get it back',
    async () => {
      const outcome = await fleet.suffer(() => fleet.tunnels[1]?.delay(3000), {
        lasting: 20_000,
        end: () => fleet.tunnels[1]?.mend(),
      });
      console.log(`[fault] path slow: ${JSON.stringify(outcome)}`);
      expect(outcome).toMatchObject({ fewest: 3, evicted: [1], restarted: [] });
      expect(outcome.recovery).toBeDefined();
    },
  );

  it.runIf(taken.includes('pool wedged'))(
    'replace the dead connections of one of them, without a restart',
    async () => {
      const outcome = await fleet.suffer(() => fleet.tunnels[1]?.blackhole(), { lasting: 1000 });
      console.log(`[fault] pool wedged: ${JSON.stringify(outcome)}`);
      expect(outcome.evicted.filter((index) => index !== 1)).toEqual([]);
      expect(outcome.restarted).toEqual([]);
      expect(outcome.recovery).toBeDefined();
    },
  );

  it.runIf(taken.includes('pool leaked'))(
    'lose the one whose pool is leaked, and only that one is restarted',
    async () => {
      const outcome = await fleet.suffer(() => fetch(`${fleet.instances[2]?.origin}/leak`), {
        lasting: 1000,
      });
      console.log(`[fault] pool leaked: ${JSON.stringify(outcome)}`);
      expect(outcome).toMatchObject({ fewest: 3, evicted: [2], restarted: [2] });
    },
  );
});
