import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { mariadbClients } from './clients/mariadb.js';
import { type Exercised, poolSize } from './clients/client.js';
import { postgresOrms } from './clients/postgres-orms.js';
import { postgresClients } from './clients/postgres.js';
import { planted } from './database-scenario.js';
import { heartbeats } from './heartbeats.js';

const waiting = 2;
const silent = 'The pool did not provide a connection in time';
const texts: Readonly<Record<string, string>> = {
  'mariadb pool': `${silent}: ${poolSize} connections in use, ${waiting} waiting`,
  'Kysely on pg': silent,
  'Kysely on mysql2': silent,
  'postgres (postgres.js)': silent,
  'Drizzle on postgres.js': silent,
};

/** The application holds every connection of its pool, and more of it waits. */
async function starve(exercised: Exercised, port: number, sleep: (seconds: number) => string): Promise<void> {
  const open = await exercised.open({ host: '127.0.0.1', port, ...planted });
  try {
    const { beat, until } = heartbeats({ db: open.client, timeout: 1000 });
    await Promise.all(Array.from({ length: poolSize }, async () => open.query(sleep(0.3))));
    await until([]);
    const held = Promise.allSettled(
      Array.from({ length: poolSize + waiting }, async () => open.query(sleep(4))),
    );
    if (open.slots !== undefined) await expect.poll(open.slots).toBe(poolSize);
    // Some libraries take their time until they ask the pool.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const expected =
      texts[exercised.name] ??
      `Pool exhausted: ${poolSize} of ${poolSize} connections in use, ${waiting} waiting`;
    // The pool of mariadb gives those that wait up after two seconds: in a second round none would be waiting.
    for (let round = exercised.name === 'mariadb pool' ? 1 : 0; round < 2; round += 1) {
      const { details } = await beat();
      expect(details['check_database_connected']?.messages).toEqual({ 'health.E022': expected });
    }
    await held;
    await until([]);
    if (open.slots !== undefined) await expect.poll(open.slots).toBe(0);
  } finally {
    await open.close();
  }
}

describe.skipIf(!canStart('postgres'))('a pool on PostgreSQL that the application has starved', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('postgres');
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`CREATE ROLE ${planted.user} LOGIN PASSWORD '${planted.password}'`);
    await admin.query(`CREATE DATABASE ${planted.database} OWNER ${planted.user}`);
    await admin.end();
  });
  afterAll(() => server?.stop());

  for (const client of [...postgresClients, ...postgresOrms].filter(({ name }) => name !== 'pg Client')) {
    it(client.name, () => starve(client, server.port, (seconds) => `SELECT pg_sleep(${seconds})`));
  }
});

describe.skipIf(!canStart('mariadb'))('a pool on MariaDB that the application has starved', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('mariadb');
    const admin = await createConnection(server.url);
    await admin.query(`CREATE DATABASE ${planted.database}`);
    await admin.query(`CREATE USER ${planted.user}@'%' IDENTIFIED BY '${planted.password}'`);
    await admin.query(`GRANT ALL ON *.* TO ${planted.user}@'%'`);
    await admin.end();
  });
  afterAll(() => server?.stop());

  for (const client of mariadbClients.filter(({ reconnects }) => reconnects !== false)) {
    it(client.name, () => starve(client, server.port, (seconds) => `SELECT SLEEP(${seconds})`));
  }
});
