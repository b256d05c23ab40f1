import { Client } from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { postgresOrms } from './clients/postgres-orms.js';
import { postgresClients } from './clients/postgres.js';
import { exerciseDatabase, planted } from './database-scenario.js';
import { expectTable, type Row } from './matrix.js';

describe.skipIf(!canStart('postgres'))('database clients on PostgreSQL', () => {
  let server: RunningService;
  const seen: Row[] = [];

  beforeAll(async () => {
    server = await startService('postgres');
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`CREATE ROLE ${planted.user} LOGIN PASSWORD '${planted.password}'`);
    await admin.query(`CREATE DATABASE ${planted.database} OWNER ${planted.user}`);
    await admin.end();
  });
  afterAll(() => server?.stop());

  for (const client of [...postgresClients, ...postgresOrms]) {
    exerciseDatabase(client, { server: () => server, sleep: 'SELECT pg_sleep(0.05)' }, seen);
  }

  it('docs/checks.md lists exactly the clients that passed every scenario', () =>
    expectTable('Clients on PostgreSQL', seen));
});
