import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabaseConnected } from 'lifesign/checks';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { postgresOrms } from '../clients/postgres-orms.js';
import { pgPoolOf, postgresClients } from '../clients/postgres.js';
import { planted } from '../database-scenario.js';
import { exerciseOpinions } from './database-opinions.js';
import { opinionsOf, someOf } from './opinions.js';

/** The clients that have one: pg, also below Drizzle. */
const withOpinion = /^(?:pg |Drizzle on pg)/;

describe.skipIf(!canStart('postgres'))('second opinions on PostgreSQL', () => {
  let server: RunningService;

  async function asOwner(sql: string): Promise<{ readonly count?: string } | undefined> {
    const owner = new Client(server.url);
    owner.on('error', () => {});
    await owner.connect();
    const { rows } = await owner.query(sql);
    await owner.end();
    return rows[0];
  }

  beforeAll(async () => {
    server = await startService('postgres');
    await asOwner(`CREATE USER ${planted.user} PASSWORD '${planted.password}'`);
    await asOwner(`CREATE DATABASE ${planted.database} OWNER ${planted.user}`);
  });
  afterAll(() => server?.stop());

  for (const exercised of someOf([...postgresClients, ...postgresOrms], /^(?:pg Pool|postgres |Knex)/)) {
    exerciseOpinions(
      exercised,
      {
        server: () => server,
        sleep: 'SELECT pg_sleep(0.05)',
        count: async () =>
          Number(
            (await asOwner(`SELECT count(*) FROM pg_stat_activity WHERE usename = '${planted.user}'`))?.count,
          ),
        setPassword: async (password) => {
          await asOwner(`ALTER USER ${planted.user} PASSWORD '${password}'`);
        },
      },
      withOpinion.test(exercised.name),
    );
  }

  it('a server that refuses for too many connections: shared, and none is made', async () => {
    await asOwner(`ALTER USER ${planted.user} CONNECTION LIMIT 1`);
    const target = { ...planted, host: '127.0.0.1', port: server.port };
    const other = new Client(target);
    other.on('error', () => {});
    await other.connect();
    const pool = pgPoolOf(target);
    try {
      const refused = { scope: 'shared', evidence: 'the server accepts no more connections' };
      expect(await opinionsOf(checkDatabaseConnected(pool)).ask()).toEqual(refused);
    } finally {
      await pool.end();
      await other.end();
      await asOwner(`ALTER USER ${planted.user} CONNECTION LIMIT -1`);
    }
  });

  it('a pool that is in use and gives connections back is busy: shared', async () => {
    const pool = new Pool({ ...planted, host: '127.0.0.1', port: server.port, max: 2 });
    pool.on('error', () => {});
    const opinions = opinionsOf(checkDatabaseConnected(pool));
    await opinions.ask();
    const over = new AbortController();
    const loads = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) await pool.query('SELECT pg_sleep(0.1)');
    });
    try {
      await expect.poll(() => pool.waitingCount, { timeout: 30_000 }).toBeGreaterThan(0);
      const busy =
        /2 of 2 connections in use, \d waiting(, and they are being released|; [12] of 2 are running queries)$/;
      // Between two queries of a busy machine the pool may be free for a moment.
      await expect
        .poll(
          async () => {
            const { scope, evidence } = await opinions.opinion();
            return `${scope} ${evidence}`;
          },
          { timeout: 20_000 },
        )
        .toMatch(new RegExp(`^shared .*${busy.source}`));
      expect(pool.listenerCount('release')).toBe(0);
    } finally {
      over.abort();
      await Promise.all(loads);
      await pool.end();
    }
  });
});
