import { drizzle } from 'drizzle-orm/mysql2';
import knexOf from 'knex';
import { CompiledQuery, Kysely, MysqlDialect } from 'kysely';
import { createPool as createMariadbPool } from 'mariadb';
import { createConnection, createPool } from 'mysql2';
import { createPool as createPromisePool } from 'mysql2/promise';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { type Exercised, poolSize, type Target } from './client.js';

const poolOf = (target: Target) => createPool({ ...target, connectionLimit: poolSize });

/** mysql2 tells how many connections it has and how many of them are free. */
function taken(pool: object): number {
  const count = (list: string): number => Reflect.get(pool, list).length;
  return count('_allConnections') - count('_freeConnections');
}

export const mariadbClients: readonly Exercised[] = [
  {
    name: 'mysql2 pool',
    package: 'mysql2',
    open(target) {
      const pool = poolOf(target);
      return {
        client: pool,
        slots: () => taken(pool),
        query: (sql) => pool.promise().query(sql),
        close: () => pool.promise().end(),
      };
    },
  },
  {
    name: 'mysql2/promise pool',
    package: 'mysql2',
    open(target) {
      const pool = createPromisePool({ ...target, connectionLimit: poolSize });
      return {
        client: pool,
        slots: () => taken(pool.pool),
        query: (sql) => pool.query(sql),
        close: () => pool.end(),
      };
    },
  },
  {
    name: 'mysql2 connection',
    package: 'mysql2',
    reconnects: false,
    refused: ['health.E001', 'health.E002'],
    open(target) {
      const connection = createConnection(target);
      connection.on('error', () => {});
      return {
        client: connection,
        query: (sql) => connection.promise().query(sql),
        close: () => connection.destroy(),
      };
    },
  },
  {
    name: 'mariadb pool',
    package: 'mariadb',
    tellsLimit: false,
    open(target) {
      const pool = createMariadbPool({
        ...target,
        connectionLimit: poolSize,
        minimumIdle: 0,
        acquireTimeout: 2000,
      });
      return {
        client: pool,
        slots: () => pool.activeConnections(),
        query: (sql) => pool.query(sql),
        close: () => pool.end(),
      };
    },
  },
  {
    name: 'Knex on mysql2',
    package: 'knex',
    open(target) {
      const knex = knexOf({
        client: 'mysql2',
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
    name: 'Kysely on mysql2',
    package: 'kysely',
    holds: true,
    open(target) {
      const pool = poolOf(target);
      const db = new Kysely<Record<string, never>>({ dialect: new MysqlDialect({ pool }) });
      return {
        client: db,
        slots: () => taken(pool),
        query: (sql) => db.executeQuery(CompiledQuery.raw(sql)),
        close: () => db.destroy(),
      };
    },
  },
  {
    name: 'Drizzle on mysql2',
    package: 'drizzle-orm',
    open(target) {
      const pool = poolOf(target);
      const db = drizzle(pool);
      return {
        client: db,
        slots: () => taken(pool),
        query: (sql) => db.execute(sql),
        close: () => pool.promise().end(),
      };
    },
  },
  {
    name: 'TypeORM on mysql2',
    package: 'typeorm',
    async open({ user, ...target }) {
      const source = new DataSource({
        type: 'mariadb',
        username: user,
        ...target,
        poolSize,
        logging: false,
      });
      await source.initialize().catch(() => {});
      return {
        client: source,
        // @ts-expect-error TypeORM keeps its pool to itself.
        slots: () => taken(source.driver.pool),
        query: (sql) => source.query(sql),
        close: () => (source.isInitialized ? source.destroy() : undefined),
      };
    },
  },
  {
    name: 'Sequelize on mysql2',
    package: 'sequelize',
    open({ user, ...target }) {
      const sequelize = new Sequelize({
        dialect: 'mysql',
        username: user,
        ...target,
        pool: { max: poolSize },
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
