import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { mariadbClients } from './clients/mariadb.js';
import { exerciseDatabase, planted } from './database-scenario.js';
import { chosen } from '../whole.js';
import { expectPassed, type Row } from './matrix.js';

describe.skipIf(!canStart('mariadb'))('database clients on MariaDB', () => {
  let server: RunningService;
  const seen: Row[] = [];
  const taken = chosen(mariadbClients, 'mysql2 pool', 'mariadb pool', 'Sequelize on mysql2');

  beforeAll(async () => {
    server = await startService('mariadb');
    const admin = await createConnection(server.url);
    await admin.query(`CREATE DATABASE ${planted.database}`);
    await admin.query(`CREATE USER ${planted.user}@'%' IDENTIFIED BY '${planted.password}'`);
    await admin.query(`GRANT ALL ON *.* TO ${planted.user}@'%'`);
    await admin.end();
  });
  afterAll(() => server?.stop());

  for (const client of taken) {
    exerciseDatabase(client, { server: () => server, sleep: 'SELECT SLEEP(0.05)' }, seen);
  }

  it('docs/checks.md lists exactly these clients, and those that were taken passed every scenario', () =>
    expectPassed('Clients on MariaDB', mariadbClients, taken, seen));
});
