import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe } from 'vitest';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { mariadbClients } from '../clients/mariadb.js';
import { planted } from '../database-scenario.js';
import { exerciseOpinions } from './database-opinions.js';
import { someOf } from './opinions.js';

/** The clients that have one: mysql2, also below Drizzle. */
const withOpinion = /^(?:mysql2|Drizzle)/;

describe.skipIf(!canStart('mariadb'))('second opinions on MariaDB', () => {
  let server: RunningService;

  async function asOwner(sql: string): Promise<unknown> {
    const owner = await createConnection(server.url);
    owner.on('error', () => {});
    const [rows] = await owner.query(sql);
    await owner.end();
    return Array.isArray(rows) ? rows[0] : undefined;
  }

  beforeAll(async () => {
    server = await startService('mariadb');
    await asOwner(`CREATE USER ${planted.user}@'%' IDENTIFIED BY '${planted.password}'`);
    await asOwner(`CREATE DATABASE ${planted.database}`);
    await asOwner(`GRANT ALL ON ${planted.database}.* TO ${planted.user}@'%'`);
  });
  afterAll(() => server?.stop());

  for (const exercised of someOf(mariadbClients, /^(?:mysql2\/promise pool|mariadb pool)/)) {
    exerciseOpinions(
      exercised,
      {
        server: () => server,
        sleep: 'SELECT SLEEP(0.05)',
        count: async () => {
          const sql = `SELECT count(*) AS count FROM information_schema.processlist WHERE user = '${planted.user}'`;
          const row: unknown = await asOwner(sql);
          return Number(typeof row === 'object' && row !== null && Reflect.get(row, 'count'));
        },
        setPassword: async (password) => {
          await asOwner(`ALTER USER ${planted.user}@'%' IDENTIFIED BY '${password}'`);
        },
      },
      withOpinion.test(exercised.name),
    );
  }
});
