import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import type { RunningService } from '../services/service.js';
import { startExpress, tell } from './observe.js';

const timeout = 500;
const patience = 15_000;

const clients = {
  ioredis: async (url: string) => {
    const client = new Redis(url);
    client.on('error', () => {});
    return { client, end: () => client.disconnect() };
  },
  'node-redis': async (url: string) => {
    const client = createClient({ url });
    client.on('error', () => {});
    await client.connect();
    return { client, end: () => client.destroy() };
  },
};

describe.skipIf(!canStart('redis')).each(Object.entries(clients))('Redis with %s', (name, connect) => {
  let redis: RunningService;
  let connected: Awaited<ReturnType<typeof connect>>;
  let app: Awaited<ReturnType<typeof startExpress>>;

  beforeAll(async () => {
    redis = await startService('redis');
    connected = await connect(redis.url);
    app = await startExpress({ redis: connected.client, timeout });
    await app.passes();
  });
  afterAll(async () => {
    await app.close();
    connected.end();
    await redis.stop();
  });

  const recovered = async () => {
    const started = performance.now();
    await app.passes();
    return `recovered after ${Math.round(performance.now() - started)} ms`;
  };

  it('frozen: an Error in time, the application stays up, recovers when it thaws', async () => {
    redis.freeze();
    const first = await app.beat();
    expect(first.status).toBe(500);
    expect(first.ids).toEqual(['health.E012']);
    expect(first.ms).toBeLessThan(patience);
    const storm = await Promise.all(Array.from({ length: 200 }, () => app.beat()));
    expect(storm.every(({ status }) => status === 500)).toBe(true);
    expect(await app.isUp()).toBe(true);
    redis.thaw();
    tell(`Redis frozen (${name})`, first, await recovered());
  });

  it('killed: an Error, and recovery on restart', async () => {
    await redis.kill();
    await until(async () => (await app.beat()).status === 500);
    const said = await app.beat();
    expect(said.status).toBe(500);
    expect(said.ms).toBeLessThan(patience);
    expect(await app.isUp()).toBe(true);
    await redis.restart();
    tell(`Redis killed (${name})`, said, await recovered());
  });

  it('capped: a dead Redis never takes the service down', async () => {
    const capped = await startExpress({
      redis: connected.client,
      timeout,
      checkOptions: { check_redis_connected: { maxLevel: 'info' } },
    });
    redis.freeze();
    const frozen = await capped.beat();
    redis.thaw();
    await redis.kill();
    await until(async () => (await capped.beat()).body.includes('"info"'));
    const killed = await capped.beat();
    expect([frozen.status, killed.status]).toEqual([200, 200]);
    expect(frozen.body).toContain('"status":"info","checks":{"check_redis_connected":"info"}');
    tell(`Redis frozen, maxLevel info (${name})`, frozen);
    await redis.restart();
    await recovered();
    await capped.close();
  });
});

it('Redis refused: an Error in time, without the password in any text', async () => {
  const client = new Redis(`redis://:hunter2@127.0.0.1:${await freePort()}`);
  client.on('error', () => {});
  const app = await startExpress({ redis: client, timeout });
  const said = await app.beat();
  expect(said.status).toBe(500);
  expect(said.ms).toBeLessThan(patience);
  expect(said.body + JSON.stringify(app.records)).not.toContain('hunter2');
  tell('Redis refused', said);
  await app.close();
  client.disconnect();
});
