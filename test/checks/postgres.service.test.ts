import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabaseConnected } from 'lifesign/checks';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { postgresOrms } from './clients/postgres-orms.js';
import { postgresClients } from './clients/postgres.js';
import { exerciseDatabase, planted } from './database-scenario.js';
import { chosen } from '../whole.js';
import { expectPassed, type Row } from './matrix.js';

describe.skipIf(!canStart('postgres'))('database clients on PostgreSQL', () => {
  let server: RunningService;
  const seen: Row[] = [];
  const clients = [...postgresClients, ...postgresOrms];
  const taken = chosen(
    clients,
    'pg Pool',
    'postgres (postgres.js)',
    'Knex on pg',
    'TypeORM on pg',
    'Prisma on pg',
  );

  beforeAll(async () => {
    server = await startService('postgres');
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`CREATE ROLE ${planted.user} LOGIN PASSWORD '${planted.password}'`);
    await admin.query(`CREATE DATABASE ${planted.database} OWNER ${planted.user}`);
    await admin.end();
  });
  afterAll(() => server?.stop());

  for (const client of taken) {
    exerciseDatabase(client, { server: () => server, sleep: 'SELECT pg_sleep(0.05)' }, seen);
  }

  it('a connection that breaks in the turn in which it is lent to the check does not end the process', async () => {
    const pool = new Pool({ ...planted, host: '127.0.0.1', port: server.port, max: 1 });
    pool.on('error', () => {});
    const check = checkDatabaseConnected(pool);
    await pool.query('SELECT 1');
    let broken = 0;
    // Before any promise is heard of, as where the server's farewell stands in the bytes of its last answer.
    pool.on('acquire', (client) => {
      process.nextTick(() => {
        broken += 1;
        client.emit('error', new Error('terminating connection due to administrator command'));
      });
    });
    for (let time = 0; time < 3; time += 1) {
      const lent = pool.query('SELECT pg_sleep(0.05)').catch(() => {});
      await check({ signal: AbortSignal.timeout(5000), name: 'lent' });
      await lent;
    }
    expect(broken).toBeGreaterThanOrEqual(6);
    await pool.end();
  });

  it('docs/checks.md lists exactly these clients, and those that were taken passed every scenario', () =>
    expectPassed('Clients on PostgreSQL', clients, taken, seen));
});
