import { Client } from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { postgresOrms } from '../clients/postgres-orms.js';
import { postgresClients } from '../clients/postgres.js';
import { planted } from '../database-scenario.js';
import { exerciseOpinions } from './database-opinions.js';

/** What does not show how its connections are made. */
const without = /postgres\.js|Kysely/;

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

  for (const exercised of [...postgresClients, ...postgresOrms]) {
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
      !without.test(exercised.name),
    );
  }
});
