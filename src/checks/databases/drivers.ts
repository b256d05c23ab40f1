import { deadlineOf } from '../../core/heartbeat/run.js';
import { hasMethods, property } from '../client.js';
import { late, unlessLate } from '../flight.js';
import { minBackoff } from '../pools/checkout.js';
import { NoConnection } from '../pools/pool.js';
import { kind } from '../recognise.js';
import { type Database, postgresqlDialect, rowsOf, sqliteDialect } from './database.js';
import { mysql } from './mysql.js';
import { postgresql } from './postgresql.js';

/** better-sqlite3 and `node:sqlite`. */
export interface SqliteDatabase {
  prepare(sql: string): { all(): unknown };
  exec(sql: string): unknown;
}

const isSqlite = (value: unknown): value is SqliteDatabase => hasMethods(value, 'prepare', 'exec');

const sqlite = (database: SqliteDatabase): Database => ({
  dialect: sqliteDialect,
  query: async (sql) => rowsOf(database.prepare(sql).all()),
});

/** `sql` of postgres (postgres.js). */
export interface PostgresJs {
  unsafe(sql: string): PromiseLike<readonly unknown[]>;
  reserve(): PromiseLike<unknown>;
  notify(channel: string, payload: string): unknown;
}

const isPostgresJs = (value: unknown): value is PostgresJs =>
  hasMethods(value, 'unsafe', 'reserve', 'notify');

/**
 * postgres.js has no checked out connection that could be destroyed: `reserve()` loses a slot for each connection that fails.
 * A query that has not begun is left to the next runs, for as long as a request to a pool.
 */
function postgresJs(client: PostgresJs): Database {
  const waiting = new Map<string, { readonly rows: PromiseLike<unknown>; readonly until: number }>();
  return {
    dialect: postgresqlDialect,
    async query(sql, { signal }) {
      const now = performance.now();
      const kept = waiting.get(sql);
      const until = now + (deadlineOf(signal) - now) * minBackoff;
      const asked = kept !== undefined && now < kept.until ? kept : { rows: client.unsafe(sql), until };
      waiting.set(sql, asked);
      const forget = () => void (waiting.get(sql) === asked && waiting.delete(sql));
      asked.rows.then(forget, forget);
      const rows = await unlessLate(asked.rows, signal);
      if (rows !== late) return rowsOf(rows);
      if (property(asked.rows, 'active') !== true) throw new NoConnection(undefined);
      // One that has begun holds its slot until the server answers: the next run sends another query.
      forget();
      return rowsOf(await asked.rows);
    },
  };
}

/** Clients that speak to a database themselves, as query builders and ORMs use. */
export const drivers = [
  ...postgresql,
  kind(['postgres'], isPostgresJs, postgresJs),
  ...mysql,
  kind(['better-sqlite3', 'node:sqlite'], isSqlite, sqlite),
];
