import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import knexOf from 'knex';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Client, Pool } from 'pg';
import postgres from 'postgres';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { type Exercised, poolSize, type Target } from './client.js';

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
  {
    name: 'Knex on pg',
    package: 'knex',
    open(target) {
      const knex = knexOf({
        client: 'pg',
        connection: { ...target },
        pool: { min: 0, max: poolSize },
        log: { warn: () => {} },
      });
      return {
        client: knex,
        slots: () => knex.client.pool.numUsed(),
        query: async (sql) => knex.raw(sql),
        close: () => knex.destroy(),
      };
    },
  },
  {
    name: 'Kysely on pg',
    package: 'kysely',
    holds: true,
    open(target) {
      const pool = pgPoolOf(target);
      const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
      return {
        client: db,
        slots: () => taken(pool),
        query: (sql) => db.executeQuery(CompiledQuery.raw(sql)),
        close: () => db.destroy(),
      };
    },
  },
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
  {
    name: 'TypeORM on pg',
    package: 'typeorm',
    async open(target) {
      const source = new DataSource({
        type: 'postgres',
        url: urlOf(target),
        poolSize,
        poolErrorHandler: () => {},
        logging: false,
      });
      await source.initialize().catch(() => {});
      return {
        client: source,
        // @ts-expect-error TypeORM keeps its pool to itself.
        slots: () => taken(source.driver.master),
        query: (sql) => source.query(sql),
        close: () => (source.isInitialized ? source.destroy() : undefined),
      };
    },
  },
  {
    name: 'Sequelize on pg',
    package: 'sequelize',
    open({ user, ...target }) {
      const sequelize = new Sequelize({
        dialect: 'postgres',
        username: user,
        ...target,
        pool: { max: poolSize },
        // Sequelize waits for the version of the server before anything else, for ever without this.
        dialectOptions: { connectionTimeoutMillis: 2000 },
        logging: false,
      });
      return {
        client: sequelize,
        // @ts-expect-error Sequelize keeps its pool to itself.
        slots: () => sequelize.connectionManager.pool.using,
        query: (sql) => sequelize.query(sql),
        close: () => sequelize.close(),
      };
    },
  },
];
