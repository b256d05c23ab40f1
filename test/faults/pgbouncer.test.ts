import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresClients } from '../checks/clients/postgres.js';
import { postgresOrms } from '../checks/clients/postgres-orms.js';
import { until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { chosen } from '../whole.js';
import { type Observation, startExpress, tell } from './observe.js';

const timeout = 200;
/** Server connections of the pooler: as many as others hold. */
const size = 2;

describe.skipIf(!canStart('postgres') || !canStart('pgbouncer'))('PgBouncer', () => {
  let postgres: RunningService;
  let bouncer: RunningService;
  let admin: Client;
  const target = () => ({
    host: '127.0.0.1',
    port: bouncer.port,
    user: 'lifesign',
    password: '',
    database: 'postgres',
  });
  const options = { timeout, probes: { probeEvery: 100, secondOpinionEvery: 100 } };

  beforeAll(async () => {
    postgres = await startService('postgres');
    bouncer = await startService('pgbouncer', {
      args: [`127.0.0.1:${postgres.port}`, `default_pool_size=${size}`, 'max_client_conn=40'],
    });
    admin = await connected('pgbouncer');
  });
  afterAll(async () => {
    await admin?.end();
    await bouncer?.stop();
    await postgres?.stop();
  });

  async function connected(database: string): Promise<Client> {
    const client = new Client({ ...target(), database });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  /** Clients that wait for a server connection, as the pooler counts them. */
  async function waiting(): Promise<number> {
    const { rows } = await admin.query<{ database: string; cl_waiting: string }>('SHOW POOLS');
    return rows
      .filter(({ database }) => database === 'postgres')
      .reduce((sum, row) => sum + Number(row.cl_waiting), 0);
  }

  /** Holds every server connection. */
  async function saturate(): Promise<() => Promise<void>> {
    const holders = await Promise.all(Array.from({ length: size }, () => connected('postgres')));
    for (const holder of holders) await holder.query('BEGIN');
    return async () => {
      await Promise.all(holders.map((holder) => holder.end()));
    };
  }

  /** Heartbeats and probes, one after the other; the most clients that waited at a time. */
  async function ask(app: Awaited<ReturnType<typeof startExpress>>, times: number): Promise<number> {
    let most = 0;
    for (let beat = 0; beat < times; beat += 1) {
      const [said] = await Promise.all([app.beat(), fetch(`${app.origin}/readyz`)]);
      expect(said.status).toBe(500);
      most = Math.max(most, await waiting());
    }
    return most;
  }

  const clients = chosen([...postgresClients, ...postgresOrms], 'pg Pool', 'Knex on pg', 'TypeORM on pg');

  it.each(clients)('saturated, $name: the clients that wait do not pile up', async ({ open, holds }) => {
    const { client, close } = await open(target());
    const app = await startExpress({ db: client, ...options });
    await app.passes();
    const first = await app.beat();
    const free = await saturate();
    let most: number;
    try {
      most = await ask(app, 12);
    } finally {
      await free();
    }
    // Connections that were idle, a new one, and that of a second opinion. Those that can drop none hold what their pool has.
    expect(most).toBeLessThanOrEqual(holds === true ? 10 : 4);
    await app.passes();
    await until(async () => (await waiting()) === 0);
    tell('PgBouncer saturated', first, `${most} clients waited at most`);
    await app.close();
    await close();
  });

  it.each([0, 150])(
    'paused, connectionTimeoutMillis %i: nothing piles up while connecting',
    async (limit) => {
      await admin.query('PAUSE postgres');
      const pool = new Pool({ ...target(), connectionTimeoutMillis: limit });
      pool.on('error', () => {});
      const app = await startExpress({ db: pool, ...options });
      let most: number;
      let last: Observation;
      try {
        most = await ask(app, 12);
        last = await app.beat();
      } finally {
        await admin.query('RESUME postgres');
      }
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(3);
      await app.passes();
      await until(async () => (await waiting()) === 0);
      tell('PgBouncer paused', last, `${most} clients waited at most`);
      await app.close();
      await pool.end();
    },
  );

  it('no more clients, or an unknown database: the message says so', async () => {
    const taken: Client[] = [];
    const pool = new Pool(target());
    const app = await startExpress({ db: pool, ...options });
    try {
      for (;;) taken.push(await connected('postgres'));
    } catch (error) {
      expect(String(error)).toContain('no more connections allowed');
    }
    const full = await app.says('Cannot connect to the database: the server accepts no more connections');
    tell('PgBouncer max_client_conn', full);
    await Promise.all(taken.map((client) => client.end()));
    await app.passes();
    await app.close();
    await pool.end();

    const other = new Pool({ ...target(), database: 'orders_s3cret' });
    const lost = await startExpress({ db: other, ...options });
    const unknown = await lost.says('Database misconfigured: this database does not exist');
    expect(unknown.body).not.toContain('s3cret');
    tell('PgBouncer unknown database', unknown);
    await lost.close();
    await other.end();
  });

  it('restarted: an Error that says so, and recovery', async () => {
    const pool = new Pool(target());
    pool.on('error', () => {});
    const app = await startExpress({ db: pool, ...options });
    await app.passes();
    await bouncer.kill();
    await until(async () => (await app.beat()).ids[0] === 'health.E001');
    const said = await app.beat();
    await bouncer.restart();
    await app.passes();
    tell('PgBouncer restarted', said);
    await app.close();
    await pool.end();
    admin = await connected('pgbouncer');
  });
});
