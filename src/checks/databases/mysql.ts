import { family, hasMethods, property } from '../client.js';
import { borrow, orAborted } from '../flight.js';
import { type Database, rowsOf, selectOne } from './database.js';

/** A connection of mysql2/promise or mariadb. */
export interface MysqlConnection {
  query(sql: string): Promise<unknown>;
  ping(): Promise<unknown>;
  destroy(): void;
}

/** A connection of their pools. */
interface MysqlPoolConnection {
  query(sql: string): Promise<unknown>;
  release(): unknown;
  destroy(): unknown;
}

/** `createPool` of mysql2/promise or mariadb. */
export interface MysqlPool {
  getConnection(): Promise<MysqlPoolConnection>;
  end(): Promise<void>;
}

/** `createPool` or `createConnection` of mysql2, with callbacks. */
export interface MysqlCallbacks {
  promise(): MysqlPool | MysqlConnection;
  readonly execute: unknown;
}

const common = { ping: selectOne, quote: '`' } as const;

const isPool = (value: unknown): value is MysqlPool => hasMethods(value, 'getConnection', 'query', 'end');
const isConnection = (value: unknown): value is MysqlConnection =>
  hasMethods(value, 'query', 'ping', 'destroy', 'beginTransaction');

const overPool = (pool: MysqlPool): Database => ({
  ...common,
  query: (sql, signal) =>
    borrow(
      {
        acquire: () => pool.getConnection(),
        use: async (connection) => rowsOf(await connection.query(sql)),
        release: (connection) => connection.release(),
        destroy: (connection) => connection.destroy(),
      },
      signal,
    ),
});

const overConnection = (connection: MysqlConnection): Database => ({
  ...common,
  async query(sql, signal) {
    if (isDead(connection)) throw new Error('Connection closed');
    const answer = connection.query(sql);
    try {
      return rowsOf(await orAborted(answer, signal));
    } catch (thrown) {
      // mysql2 never answers what was asked while it failed to log in; any other answer is still to come.
      if (!signal.aborted || isDead(connection)) throw thrown;
      return rowsOf(await answer);
    }
  },
});

function isDead(connection: MysqlConnection): boolean {
  const state = property(connection, 'state') ?? property(property(connection, 'connection'), 'state');
  return state === 'error' || state === 'disconnected';
}

export const mysqlCallbacks = family<MysqlCallbacks, Database>(
  ['mysql2'],
  (value): value is MysqlCallbacks => hasMethods(value, 'promise', 'query', 'execute'),
  (client) => {
    const inner = client.promise();
    return isPool(inner) ? overPool(inner) : overConnection(inner);
  },
);

export const mysqlPool = family<MysqlPool, Database>(['mysql2/promise', 'mariadb'], isPool, overPool);

export const mysqlConnection = family<MysqlConnection, Database>([], isConnection, overConnection);
