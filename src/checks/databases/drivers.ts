import { hasMethods, property } from '../client.js';
import { kind, recognise } from '../recognise.js';
import { type Database, rowsOf, sqliteDialect as dialect } from './database.js';
import { mysql } from './mysql.js';
import { postgresJs } from './postgres-js.js';
import { postgresql } from './postgresql.js';

/** better-sqlite3 and `node:sqlite`. */
export interface SqliteDatabase {
  prepare(sql: string): { all(): unknown };
  exec(sql: string): unknown;
}

const sqlite = kind(
  ['better-sqlite3', 'node:sqlite'],
  (value): value is SqliteDatabase => hasMethods(value, 'prepare', 'exec'),
  (database): Database => ({ dialect, query: async (sql) => rowsOf(database.prepare(sql).all()) }),
);

/** Clients that speak to a database themselves, as query builders and ORMs use. */
export const drivers = [...postgresql, postgresJs, ...mysql, sqlite];

/** Makes the adapter of a client that was recognised. */
export type MakeDatabase = () => Database;

export const recogniseDriver = (value: unknown): MakeDatabase | undefined => recognise(drivers, value);

export const recognisePg = (value: unknown): MakeDatabase | undefined => recognise(postgresql, value);

/** Drizzle asks the client it was made with: so do we, and can take a connection back. */
export const recogniseDrizzle = (value: unknown): MakeDatabase | undefined =>
  recogniseDriver(property(value, '$client'));
