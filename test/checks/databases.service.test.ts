import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pool } from 'pg';
import { checkDatabaseConnected } from 'lifesign/checks';
import { canStart, sharedService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { chosen } from '../whole.js';
import { exerciseDatabase } from './database-scenario.js';
import { expectPassed, type Row } from './matrix.js';
import { places } from './places.js';
import { say } from './say.js';

const taken = {
  postgres: ['pg Pool', 'postgres (postgres.js)', 'Prisma on pg'],
  mariadb: ['mysql2 pool', 'mariadb pool', 'Sequelize on mysql2'],
};

describe.each(Object.values(places))('database clients on $name', (place) => {
  const { name, clients, sleep } = place;
  if (!canStart(name)) return it.skip('no server can be started');
  let server: RunningService;
  const seen: Row[] = [];
  const some = chosen(clients, ...taken[name]);
  beforeAll(async () => {
    server = await place.start();
  });
  afterAll(() => server?.stop());

  for (const client of some) exerciseDatabase(client, { server: () => server, sleep: sleep(0.05) }, seen);

  it('contributing/clients.md lists exactly these clients, and those that were taken passed every scenario', () =>
    expectPassed(`Clients on ${name === 'postgres' ? 'PostgreSQL' : 'MariaDB'}`, clients, some, seen));
});

const shared = sharedService('postgres');
it.skipIf(shared === undefined)(
  'a connection that breaks in the turn in which it is lent to the check does not end the process',
  async () => {
    const pool = new Pool({ connectionString: shared, max: 1 });
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
      await say(check);
      await lent;
    }
    expect(broken).toBeGreaterThanOrEqual(6);
    await pool.end();
  },
);
