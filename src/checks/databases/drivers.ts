import { deadlineOf } from '../../core/heartbeat/run.js';
import { property, shape } from '../client.js';
import { minBackoff } from '../pools/checkout.js';
import { noConnection } from '../reasons.js';
import { kind } from '../recognise.js';
import { late, unlessLate } from '../round-trip.js';
import { type Database, postgresqlDialect, rowsOf, sqliteDialect } from './database.js';
import { mysql, type MysqlClient } from './mysql.js';
import { type PgClient, type PgPool, postgresql } from './postgresql.js';

/** better-sqlite3 and `node:sqlite`. */
interface SqliteDatabase {
  prepare(sql: string): { all(): unknown };
  exec(sql: string): unknown;
}

const sqlite = (database: SqliteDatabase): Database => ({
  dialect: sqliteDialect,
  query: async (sql) => rowsOf(database.prepare(sql).all()),
});

/** `sql` of postgres (postgres.js). */
interface PostgresJs {
  unsafe(sql: string): PromiseLike<readonly unknown[]>;
  reserve(): PromiseLike<unknown>;
  notify(channel: string, payload: string): unknown;
}

/**
 * postgres.js has no connection that could be checked out and destroyed: `reserve()` loses a slot for each connection that fails.
 * A query that has not begun is left to the next runs, for as long as a request to a pool.
 */
function postgresJs(client: PostgresJs): Database {
  const waiting = new Map<string, { readonly rows: PromiseLike<unknown>; readonly until: number }>();
  return {
    dialect: postgresqlDialect,
    async query(sql, signal) {
      const now = performance.now();
      const left = waiting.get(sql);
      const until = now + (deadlineOf(signal) - now) * minBackoff;
      const open = left !== undefined && now < left.until ? left : { rows: client.unsafe(sql), until };
      waiting.set(sql, open);
      const forget = () => void (waiting.get(sql) === open && waiting.delete(sql));
      open.rows.then(forget, forget);
      const rows = await unlessLate(open.rows, signal);
      if (rows !== late) return rowsOf(rows);
      if (property(open.rows, 'active') !== true) throw noConnection();
      // One that has begun holds its slot until the server answers: the next run starts its own.
      forget();
      return rowsOf(await open.rows);
    },
  };
}

/** A client that speaks to a database itself, as query builders and ORMs use. */
export type DriverClient = PgPool | PgClient | PostgresJs | MysqlClient | SqliteDatabase;

export const drivers = [
  ...postgresql,
  kind(['postgres'], shape<PostgresJs>('unsafe', 'reserve', 'notify'), postgresJs),
  ...mysql,
  kind(['better-sqlite3', 'node:sqlite'], shape<SqliteDatabase>('prepare', 'exec'), sqlite),
];
