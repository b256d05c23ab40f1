import { type Database, rowsOf } from './database.js';
import { sqlite as dialect } from './dialect.js';
import type { SqliteDatabase } from './driver-shapes.js';

export const sqlite = (database: SqliteDatabase): Database => ({
  dialect,
  query: async (sql) => rowsOf(database.prepare(sql).all()),
});
