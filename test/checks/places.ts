import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import type { Exercised } from './clients/client.js';
import { mariadbClients } from './clients/mariadb.js';
import { postgresOrms } from './clients/postgres-orms.js';
import { postgresClients } from './clients/postgres.js';
import { planted } from './database-scenario.js';

/** A kind of database server with every client of it. */
interface Place {
  readonly name: 'postgres' | 'mariadb';
  readonly clients: readonly Exercised[];
  readonly sleep: (seconds: number) => string;
  /** Starts a server with the planted user and database. */
  start(): Promise<RunningService>;
  /** Runs statements as the owner; the rows of the last one. */
  asOwner(server: RunningService, ...statements: readonly string[]): Promise<readonly unknown[]>;
  readonly setPassword: (password: string) => string;
  /** How many connections the planted user may have; not of a server that takes 0 for no limit. */
  readonly setLimit?: (limit: number | undefined) => string;
}

const postgres: Place = {
  name: 'postgres',
  clients: [...postgresClients, ...postgresOrms],
  sleep: (seconds) => `SELECT pg_sleep(${seconds})`,
  async start() {
    const server = await startService('postgres');
    await this.asOwner(
      server,
      `CREATE ROLE ${planted.user} LOGIN PASSWORD '${planted.password}'`,
      `CREATE DATABASE ${planted.database} OWNER ${planted.user}`,
    );
    return server;
  },
  async asOwner(server, ...statements) {
    const owner = new Client({ connectionString: server.url });
    owner.on('error', () => {});
    await owner.connect();
    let rows: readonly unknown[] = [];
    for (const statement of statements) ({ rows } = await owner.query(statement));
    await owner.end();
    return rows;
  },
  setPassword: (password) => `ALTER USER ${planted.user} PASSWORD '${password}'`,
  setLimit: (limit = -1) => `ALTER USER ${planted.user} CONNECTION LIMIT ${limit}`,
};

const mariadb: Place = {
  name: 'mariadb',
  clients: mariadbClients,
  sleep: (seconds) => `SELECT SLEEP(${seconds})`,
  async start() {
    const server = await startService('mariadb');
    await this.asOwner(
      server,
      `CREATE DATABASE ${planted.database}`,
      `CREATE USER ${planted.user}@'%' IDENTIFIED BY '${planted.password}'`,
      `GRANT ALL ON *.* TO ${planted.user}@'%'`,
    );
    return server;
  },
  async asOwner(server, ...statements) {
    const owner = await createConnection(server.url);
    owner.on('error', () => {});
    let rows: readonly unknown[] = [];
    for (const statement of statements) {
      const [found] = await owner.query(statement);
      rows = Array.isArray(found) ? found : [];
    }
    await owner.end();
    return rows;
  },
  setPassword: (password) => `ALTER USER ${planted.user}@'%' IDENTIFIED BY '${password}'`,
};

export const places = { postgres, mariadb } as const;
