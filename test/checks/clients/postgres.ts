import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import { PostgresDialect } from 'kysely';
import { Client, Pool } from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { type Exercised, poolSize, type Target } from './client.js';
import { knexOn, kyselyOn, sequelizeOn, typeormOn } from './libraries.js';

const urlOf = ({ host, port, user, password, database }: Target) =>
  `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;

export function pgPoolOf(target: Target): Pool {
  const pool = new Pool({ ...target, max: poolSize });
  pool.on('error', () => {});
  // Kysely lends connections that nobody listens to: one that breaks would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const taken = (pool: Pool) => pool.totalCount - pool.idleCount;

export const postgresClients: readonly Exercised[] = [
  {
    name: 'pg Pool',
    package: 'pg',
    open(target) {
      const pool = pgPoolOf(target);
      return {
        client: pool,
        slots: () => taken(pool),
        query: (sql) => pool.query(sql),
        close: () => pool.end(),
      };
    },
  },
  {
    name: 'pg Client',
    package: 'pg',
    reconnects: false,
    refused: ['health.E001', 'health.E002'],
    open(target) {
      const client = new Client(target);
      client.on('error', () => {});
      client.connect().catch(() => {});
      return { client, query: (sql) => client.query(sql), close: () => client.end() };
    },
  },
  {
    name: 'postgres (postgres.js)',
    package: 'postgres',
    holds: true,
    open(target) {
      const sql = postgres({ ...target, max: poolSize, backoff: false, onnotice: () => {} });
      return { client: sql, query: (text) => sql.unsafe(text), close: () => sql.end({ timeout: 0 }) };
    },
  },
  knexOn('pg'),
  kyselyOn('pg', (target) => {
    const pool = pgPoolOf(target);
    return { dialect: new PostgresDialect({ pool }), slots: () => taken(pool) };
  }),
  {
    name: 'Drizzle on pg',
    package: 'drizzle-orm',
    open(target) {
      const pool = pgPoolOf(target);
      const db = drizzlePg(pool);
      return {
        client: db,
        slots: () => taken(pool),
        query: (sql) => db.execute(sql),
        close: () => pool.end(),
      };
    },
  },
  {
    name: 'Drizzle on postgres.js',
    package: 'drizzle-orm',
    holds: true,
    open(target) {
      const sql = postgres({ ...target, max: poolSize, backoff: false });
      const db = drizzlePostgresJs(sql);
      return { client: db, query: (text) => db.execute(text), close: () => sql.end({ timeout: 0 }) };
    },
  },
  typeormOn(
    'pg',
    (target) =>
      new DataSource({
        type: 'postgres',
        url: urlOf(target),
        poolSize,
        poolErrorHandler: () => {},
        logging: false,
      }),
    (driver) => taken(Reflect.get(driver, 'master')),
  ),
  // Sequelize waits for the version of the server before anything else, for ever without this.
  sequelizeOn('pg', { dialect: 'postgres', dialectOptions: { connectionTimeoutMillis: 2000 } }),
];
