import fc from 'fast-check';
import { expect } from 'vitest';
import { type Exercised, poolSize, type Target } from './clients/client.js';
import { heartbeats } from './heartbeats.js';
import { startProxy, type Weather } from './proxy.js';

/** One step of a generated story: what the network does, and how many heartbeats come then. */
interface Step {
  readonly weather: Weather;
  readonly beats: number;
  /** Queries of the application before, so that its pool has open connections. */
  readonly queries: number;
}

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    weather: fc.constantFrom<Weather>('swallow', 'freeze', 'halfOpen', 'heal'),
    beats: fc.integer({ min: 1, max: 30 }),
    queries: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

const timeout = 150;

/** Goes through a story over a proxy; when the network is healed, the heartbeat and the pool must be so too. */
export async function goThrough(
  exercised: Exercised,
  target: Target,
  story: readonly Step[],
  sleep: string,
): Promise<void> {
  const proxy = await startProxy(target.port);
  const open = await exercised.open({ ...target, port: proxy.port });
  try {
    const { ids, until } = heartbeats({ db: open.client, timeout });
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
