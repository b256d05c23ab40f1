import { drizzle } from 'drizzle-orm/mysql2';
import { MysqlDialect } from 'kysely';
import { createPool as createMariadbPool } from 'mariadb';
import { createConnection, createPool } from 'mysql2';
import { createPool as createPromisePool } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { type Exercised, poolSize, type Target } from './client.js';
import { knexOn, kyselyOn, sequelizeOn, typeormOn } from './libraries.js';

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
  knexOn('mysql2'),
  kyselyOn('mysql2', (target) => {
    const pool = poolOf(target);
    return { dialect: new MysqlDialect({ pool }), slots: () => taken(pool) };
  }),
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
  typeormOn(
    'mysql2',
    ({ user, ...target }) =>
      new DataSource({ type: 'mariadb', username: user, ...target, poolSize, logging: false }),
    (driver) => taken(Reflect.get(driver, 'pool')),
  ),
  sequelizeOn('mysql2', { dialect: 'mysql' }),
];
