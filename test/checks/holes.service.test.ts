import fc from 'fast-check';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { mariadbClients } from './clients/mariadb.js';
import { postgresOrms } from './clients/postgres-orms.js';
import { postgresClients } from './clients/postgres.js';
import { planted } from './database-scenario.js';
import { goThrough, steps } from './holes.js';

const places = [
  {
    name: 'postgres',
    clients: [...postgresClients, ...postgresOrms],
    sleep: 'SELECT pg_sleep(0.05)',
    async prepare(server: RunningService) {
      const admin = new Client({ connectionString: server.url });
      await admin.connect();
      await admin.query(`CREATE ROLE ${planted.user} LOGIN PASSWORD '${planted.password}'`);
      await admin.query(`CREATE DATABASE ${planted.database} OWNER ${planted.user}`);
      await admin.end();
    },
  },
  {
    name: 'mariadb',
    clients: mariadbClients,
    sleep: 'SELECT SLEEP(0.05)',
    async prepare(server: RunningService) {
      const admin = await createConnection(server.url);
      await admin.query(`CREATE DATABASE ${planted.database}`);
      await admin.query(`CREATE USER ${planted.user}@'%' IDENTIFIED BY '${planted.password}'`);
      await admin.query(`GRANT ALL ON *.* TO ${planted.user}@'%'`);
      await admin.end();
    },
  },
] as const;

for (const { name, clients, sleep, prepare } of places) {
  describe.skipIf(!canStart(name))(`a network that swallows, freezes and heals, before ${name}`, () => {
    let server: RunningService;
    beforeAll(async () => {
      server = await startService(name);
      await prepare(server);
    });
    afterAll(() => server?.stop());

    for (const client of clients.filter(({ reconnects }) => reconnects !== false)) {
      const go = (story: Parameters<typeof goThrough>[2]) =>
        goThrough(client, { host: '127.0.0.1', port: server.port, ...planted }, story, sleep);

      it(`${client.name}: recovers from connections that were accepted and never answered`, () =>
        go([{ weather: 'swallow', beats: 3, queries: 0 }]));

      it(`${client.name}: recovers from open connections that fell silent`, () =>
        go([{ weather: 'halfOpen', beats: 3, queries: 2 }]));

      it(`${client.name}: recovers from whatever happens`, () =>
        fc.assert(fc.asyncProperty(steps, go), { numRuns: 4 }));
    }
  });
}
