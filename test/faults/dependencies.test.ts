import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import type { RunningService } from '../services/service.js';
import { chosen } from '../whole.js';
import { startExpress, tell } from './observe.js';

/** An answer after this long is no answer any more; far above what a loaded machine needs. */
const patience = 15_000;

interface Opened {
  readonly options: HealthOptions;
  readonly pool?: Pool;
  end(): unknown;
}
interface Dependency {
  readonly name: string;
  readonly service: 'postgres' | 'redis';
  /** What is said once it is killed. */
  readonly lost: RegExp;
  /** Long enough for a client that works, on a busy machine too. */
  readonly timeout: number;
  open(url: string): Promise<Opened> | Opened;
}

function openPool(connectionString: string): Opened & { readonly pool: Pool } {
  const pool = new Pool({ connectionString, max: 10 });
  // Every application with a pg pool needs this: an idle connection that breaks is an error event.
  pool.on('error', () => {});
  return { options: { db: pool }, pool, end: () => pool.end() };
}
function openIoredis(url: string): Opened {
  const redis = new Redis(url);
  redis.on('error', () => {});
  return { options: { redis }, end: () => redis.disconnect() };
}
async function openNodeRedis(url: string): Promise<Opened> {
  const redis = createClient({ url });
  redis.on('error', () => {});
  await redis.connect();
  return { options: { redis }, end: () => redis.destroy() };
}

const ofRedis = { service: 'redis', lost: /^health\.E0(04|07|10)$/, timeout: 500 } as const;
const dependencies: readonly Dependency[] = [
  { name: 'PostgreSQL', service: 'postgres', lost: /^health\.E001$/, timeout: 3000, open: openPool },
  { ...ofRedis, name: 'Redis with ioredis', open: openIoredis },
  { ...ofRedis, name: 'Redis with node-redis', open: openNodeRedis },
];

const taken = chosen(dependencies, 'PostgreSQL', 'Redis with ioredis');
describe.each(taken)('$name', ({ name, service, lost, timeout, open }) => {
  if (!canStart(service)) return it.skip('no server can be started');
  let server: RunningService;
  let opened: Opened;
  let app: Awaited<ReturnType<typeof startExpress>>;
  beforeAll(async () => {
    server = await startService(service);
    opened = await open(server.url);
    app = await startExpress({ ...opened.options, timeout });
    await app.passes();
  });
  afterAll(async () => {
    await app.close();
    await opened.end();
    await server.stop();
  });

  const recovered = async () => {
    const started = performance.now();
    await app.passes();
    await until(() => (opened.pool?.waitingCount ?? 0) === 0);
    return `recovered after ${Math.round(performance.now() - started)} ms`;
  };

  it('frozen: an Error in time, no run piles up, the application stays up, recovers when it thaws', async () => {
    server.freeze();
    const first = await app.beat();
    expect([first.status, first.ids]).toEqual([500, ['health.E012']]);
    expect(first.ms).toBeLessThan(patience);
    const storm = await Promise.all(Array.from({ length: 200 }, () => app.beat()));
    expect(storm.every(({ status }) => status === 500)).toBe(true);
    expect(await app.isUp()).toBe(true);
    // The application's own queries have the rest of the pool.
    const { totalCount = 0, waitingCount = 0 } = opened.pool ?? {};
    expect(totalCount).toBeLessThanOrEqual(3);
    expect(waitingCount).toBeLessThanOrEqual(1);
    server.thaw();
    tell(`${name} frozen`, first, `${totalCount} connections, ${waitingCount} waiting; ${await recovered()}`);
  });

  it('killed: an Error that says so, and recovery on restart', async () => {
    await server.kill();
    await until(async () => (await app.beat()).status === 500);
    const said = await app.beat();
    expect(said.ids).toEqual([expect.stringMatching(lost)]);
    expect(said.ms).toBeLessThan(patience);
    expect(await app.isUp()).toBe(true);
    await server.restart();
    tell(`${name} killed`, said, await recovered());
  });

  it('capped: a dead one never takes the service down', async () => {
    const [check = ''] = (await app.health.heartbeat()).results.map((result) => result.name);
    const checkOptions = { [check]: { maxLevel: 'info' } } as const;
    const capped = await startExpress({ ...opened.options, timeout, checkOptions });
    server.freeze();
    const frozen = await capped.beat();
    server.thaw();
    await server.kill();
    await until(async () => (await capped.beat()).body.includes('"info"'));
    const killed = await capped.beat();
    expect([frozen.status, killed.status]).toEqual([200, 200]);
    expect(frozen.body).toContain(`"status":"info","checks":{"${check}":"info"}`);
    tell(`${name} frozen, maxLevel info`, frozen);
    await server.restart();
    await recovered();
    await capped.close();
  });

  it('restarted between two heartbeats: it recovers, and stays', async () => {
    await server.kill();
    await server.restart();
    tell(`${name} restarted`, await app.beat(), await recovered());
    for (let beat = 0; beat < 10; beat += 1) expect((await app.beat()).status).toBe(200);
  });

  it('refused: an Error in time, without user or password in any text', async () => {
    const scheme = service === 'postgres' ? 'postgres' : 'redis';
    const url = `${scheme}://bob:hunter2@127.0.0.1:${await freePort()}`;
    const { options, end } = service === 'postgres' ? openPool(`${url}/app`) : openIoredis(url);
    const refused = await startExpress({ ...options, timeout });
    const said = await refused.beat();
    expect(said.status).toBe(500);
    expect(said.ms).toBeLessThan(patience);
    expect(said.body + JSON.stringify(refused.records)).not.toMatch(/hunter2|bob/);
    tell(`${name} refused`, said);
    await refused.close();
    await end();
  });

  it.runIf(service === 'postgres')(
    'a pool with no slot left is an Error, and the check waits in line once',
    async () => {
      const { pool } = opened;
      const taken = await Promise.all(Array.from({ length: 10 }, async () => pool?.connect()));
      const first = await app.beat();
      expect(first.ids).toEqual(['health.E022']);
      expect(first.body).toContain('Pool exhausted: 10 of 10 connections in use, 0 waiting');
      await Promise.all(Array.from({ length: 50 }, () => app.beat()));
      expect(pool?.waitingCount).toBeLessThanOrEqual(1);
      for (const client of taken) client?.release();
      tell('PostgreSQL pool exhausted', first, await recovered());
    },
  );
});
