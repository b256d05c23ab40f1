import { family } from '../client.js';
import { type Database, rowsOf } from './database.js';
import { isLibsql, isSqlite, type LibsqlClient, type SqliteDatabase } from './driver-shapes.js';

// `SELECT 1` would not touch the file: this reads its first page.
const common = { ping: 'SELECT 1 FROM sqlite_master LIMIT 1', quote: '"' } as const;

export const sqlite = family<SqliteDatabase, Database>(isSqlite, (database) => ({
  ...common,
  query: async (sql) => rowsOf(database.prepare(sql).all()),
}));

export const libsqlClient = family<LibsqlClient, Database>(isLibsql, (client) => ({
  ...common,
  query: async (sql) => rowsOf(await client.execute(sql)),
}));
