import { family, hasMethods } from '../client.js';
import { type Database, rowsOf } from './database.js';

/** better-sqlite3, libsql and `node:sqlite`. */
export interface SqliteDatabase {
  prepare(sql: string): { all(): unknown };
  exec(sql: string): unknown;
}

/** A client of @libsql/client. */
export interface LibsqlClient {
  execute(sql: string): Promise<{ readonly rows: unknown[] }>;
  executeMultiple(sql: string): Promise<unknown>;
}

// `SELECT 1` would not touch the file: this reads its first page.
const common = { ping: 'SELECT 1 FROM sqlite_master LIMIT 1', quote: '"' } as const;

export const sqlite = family<SqliteDatabase, Database>(
  ['better-sqlite3', 'libsql', 'node:sqlite'],
  (value): value is SqliteDatabase => hasMethods(value, 'prepare', 'exec'),
  (database) => ({ ...common, query: async (sql) => rowsOf(database.prepare(sql).all()) }),
);

export const libsqlClient = family<LibsqlClient, Database>(
  ['@libsql/client'],
  (value): value is LibsqlClient => hasMethods(value, 'execute', 'executeMultiple', 'batch'),
  (client) => ({ ...common, query: async (sql) => rowsOf(await client.execute(sql)) }),
);
