import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { freePort } from '../services/port.js';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { startExpress, tell } from './observe.js';

/** Long enough for a pool that works, on a busy machine too. */
const timeout = 3000;
/** An answer after this long is no answer any more; far above what a loaded machine needs. */
const patience = 15_000;

describe.skipIf(!canStart('postgres'))('PostgreSQL', () => {
  let postgres: RunningService;
  let pool: Pool;
  let app: Awaited<ReturnType<typeof startExpress>>;

  beforeAll(async () => {
    postgres = await startService('postgres');
    pool = new Pool({ connectionString: postgres.url, max: 10 });
    // Every application with a pg pool needs this: an idle connection that breaks is an error event.
    pool.on('error', () => {});
    app = await startExpress({ db: pool, timeout });
    await app.passes();
  });
  afterAll(async () => {
    await app.close();
    await pool.end();
    await postgres.stop();
  });

  const recovered = async () => {
    const started = performance.now();
    await app.passes();
    await until(() => pool.waitingCount === 0);
    return `recovered after ${Math.round(performance.now() - started)} ms, ${pool.totalCount} connections`;
  };

  it('frozen: an Error in time, no run piles up, the application stays up, recovers when it thaws', async () => {
    postgres.freeze();
    const first = await app.beat();
    expect(first.status).toBe(500);
    expect(first.ids).toEqual(['health.E012']);
    expect(first.ms).toBeLessThan(patience);

    const storm = await Promise.all(Array.from({ length: 200 }, () => app.beat()));
    expect(storm.every(({ status }) => status === 500)).toBe(true);
    expect(await app.isUp()).toBe(true);
    // The application's own queries have the rest of the pool.
    expect(pool.totalCount).toBeLessThanOrEqual(3);
    expect(pool.waitingCount).toBeLessThanOrEqual(1);
    const left = `left behind during it: ${pool.totalCount} connections, ${pool.waitingCount} waiting`;

    postgres.thaw();
    tell('PostgreSQL frozen', first, `${left}; ${await recovered()}`);
    expect((await pool.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
  });

  it('killed: an Error that says so, and recovery on restart', async () => {
    await postgres.kill();
    const first = await app.beat();
    expect(first.status).toBe(500);
    expect(first.ids).toHaveLength(1);
    expect(['health.E001', 'health.E002']).toContain(first.ids[0]);
    const second = await app.beat();
    expect(second.ids).toEqual(['health.E001']);
    expect(second.ms).toBeLessThan(patience);
    expect(await app.isUp()).toBe(true);
    await postgres.restart();
    tell('PostgreSQL killed', second, await recovered());
  });

  it('restarted between two heartbeats: the first one after it is true', async () => {
    await postgres.kill();
    await postgres.restart();
    tell('PostgreSQL restarted', await app.beat(), await recovered());
    for (let beat = 0; beat < 10; beat += 1) expect((await app.beat()).status).toBe(200);
  });

  it('a pool with no slot left is an Error in time, and the check waits in line once', async () => {
    const taken = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const first = await app.beat();
    expect(first.ids).toEqual(['health.E022']);
    expect(first.body).toContain('Pool exhausted: 10 of 10 connections in use, 0 waiting');
    await Promise.all(Array.from({ length: 50 }, () => app.beat()));
    expect(pool.waitingCount).toBeLessThanOrEqual(1);
    for (const client of taken) client.release();
    tell('PostgreSQL pool exhausted', first, await recovered());
  });
});

it('PostgreSQL refused: an Error at once, without user or password in any text', async () => {
  const port = await freePort();
  const pool = new Pool({ connectionString: `postgres://bob:hunter2@127.0.0.1:${port}/app` });
  const app = await startExpress({ db: pool, timeout });
  const said = await app.beat();
  expect(said.status).toBe(500);
  expect(said.ids).toEqual(['health.E001']);
  expect(said.body + JSON.stringify(app.records)).not.toMatch(/hunter2|bob/);
  tell('PostgreSQL refused', said);
  await app.close();
  await pool.end();
});
