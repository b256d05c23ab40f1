import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { type Exercised, poolSize } from './clients/client.js';
import { planted } from './database-scenario.js';
import { heartbeats } from './heartbeats.js';
import { places } from './places.js';
import { startProxy, type Weather } from './proxy.js';

/** One step of a generated story: what the network does, and how many heartbeats come then. */
interface Step {
  readonly weather: Weather;
  readonly beats: number;
  /** Queries of the application before, so that its pool has open connections. */
  readonly queries: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    weather: fc.constantFrom<Weather>('swallow', 'freeze', 'halfOpen', 'heal'),
    beats: fc.integer({ min: 1, max: 30 }),
    queries: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Goes through a story over a proxy; when the network is healed, the heartbeat and the pool must be so too. */
async function goThrough(
  exercised: Exercised,
  port: number,
  story: readonly Step[],
  sleep: string,
): Promise<void> {
  const proxy = await startProxy(port);
  const open = await exercised.open({ host: '127.0.0.1', port: proxy.port, ...planted });
  try {
    const { ids, until } = heartbeats({ db: open.client, timeout: 150 });
    let most = 0;
    let mine = 0;
    for (const { weather, beats, queries } of story) {
      // The application asks only while all is well: what it loses itself is not ours.
      if (mine === 0) await Promise.all(Array.from({ length: queries }, () => open.query(sleep)));
      proxy.set(weather);
      mine += weather === 'heal' ? 0 : 1;
      const before = open.slots?.() ?? 0;
      await Promise.all(Array.from({ length: beats }, ids));
      most = Math.max(most, (open.slots?.() ?? 0) - before);
    }
    // One slot at a time, and that of a request that is still kept.
    if (exercised.holds !== true) expect(most).toBeLessThanOrEqual(2);
    proxy.set('heal');
    await until([], 60);
    if (exercised.holds === true) return;
    await Promise.all(Array.from({ length: poolSize }, () => open.query(sleep)));
    if (open.slots !== undefined) await expect.poll(open.slots, { timeout: 10_000 }).toBe(0);
  } finally {
    await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
    await proxy.close();
  }
}

const waiting = 2;
const silent = 'The pool did not provide a connection in time';
const texts: Readonly<Record<string, string>> = {
  'mariadb pool': `${silent}: ${poolSize} connections in use, ${waiting} waiting`,
  'Kysely on pg': silent,
  'Kysely on mysql2': silent,
  'postgres (postgres.js)': silent,
  'Drizzle on postgres.js': silent,
};

/** The application holds every connection of its pool, and more of it waits. */
async function starve(exercised: Exercised, port: number, sleep: (seconds: number) => string): Promise<void> {
  const open = await exercised.open({ host: '127.0.0.1', port, ...planted });
  try {
    const { beat, until } = heartbeats({ db: open.client, timeout: 1000 });
    await Promise.all(Array.from({ length: poolSize }, async () => open.query(sleep(0.3))));
    await until([]);
    const held = Promise.allSettled(
      Array.from({ length: poolSize + waiting }, async () => open.query(sleep(4))),
    );
    if (open.slots !== undefined) await expect.poll(open.slots).toBe(poolSize);
    // Some libraries take their time until they ask the pool.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const expected =
      texts[exercised.name] ??
      `Pool exhausted: ${poolSize} of ${poolSize} connections in use, ${waiting} waiting`;
    // The pool of mariadb gives those that wait up after two seconds: in a second round none would be waiting.
    for (let round = exercised.name === 'mariadb pool' ? 1 : 0; round < 2; round += 1) {
      const { details } = await beat();
      expect(details['check_database_connected']?.messages).toEqual({ 'health.E022': expected });
    }
    await held;
    await until([]);
    if (open.slots !== undefined) await expect.poll(open.slots).toBe(0);
  } finally {
    await open.close();
  }
}

describe.each(Object.values(places))('pools of $name', (place) => {
  if (!canStart(place.name)) return it.skip('no server can be started');
  let server: RunningService;
  beforeAll(async () => {
    server = await place.start();
  });
  afterAll(() => server?.stop());

  describe.each(place.clients.filter(({ reconnects }) => reconnects !== false))('$name', (client) => {
    it('says that the application has starved it', () => starve(client, server.port, place.sleep));

    const recovers = fc.asyncProperty(steps, (story) =>
      goThrough(client, server.port, story, place.sleep(0.05)),
    );
    it('recovers from a network that swallows, freezes and heals', () =>
      fc.assert(recovers, {
        numRuns: 6,
        examples: [
          [[{ weather: 'swallow', beats: 3, queries: 0 }]],
          [[{ weather: 'halfOpen', beats: 3, queries: 2 }]],
        ],
      }));
  });
});
