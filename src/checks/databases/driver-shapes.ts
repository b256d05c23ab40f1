import { hasMethods } from '../client.js';

/** A connection of a pg pool. */
export interface PgPoolClient {
  query(sql: string): Promise<{ readonly rows: unknown[] }>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** `Pool` of pg. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** `Client` of pg. */
export interface PgClient {
  query(sql: string): Promise<{ readonly rows: unknown[] }>;
  escapeIdentifier(name: string): string;
  end(): Promise<void>;
}

/** `sql` of postgres (postgres.js). */
export interface PostgresJs {
  unsafe(sql: string): PromiseLike<readonly unknown[]>;
  reserve(): PromiseLike<unknown>;
  notify(channel: string, payload: string): unknown;
}

/** A connection of mysql2/promise or mariadb. */
export interface MysqlConnection {
  query(sql: string): Promise<unknown>;
  ping(): Promise<unknown>;
  destroy(): void;
}

/** A connection of their pools. */
export interface MysqlPoolConnection {
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

/** better-sqlite3 and `node:sqlite`. */
export interface SqliteDatabase {
  prepare(sql: string): { all(): unknown };
  exec(sql: string): unknown;
}

export const isPgPool = (value: unknown): value is PgPool =>
  hasMethods(value, 'connect', 'query') && 'totalCount' in value && 'idleCount' in value;
export const isPgClient = (value: unknown): value is PgClient =>
  hasMethods(value, 'query', 'escapeIdentifier', 'end');
export const isPostgresJs = (value: unknown): value is PostgresJs =>
  hasMethods(value, 'unsafe', 'reserve', 'notify');
export const isMysqlCallbacks = (value: unknown): value is MysqlCallbacks =>
  hasMethods(value, 'promise', 'query', 'execute');
export const isMysqlPool = (value: unknown): value is MysqlPool =>
  hasMethods(value, 'getConnection', 'query', 'end');
export const isMysqlConnection = (value: unknown): value is MysqlConnection =>
  hasMethods(value, 'query', 'ping', 'destroy', 'beginTransaction');
export const isSqlite = (value: unknown): value is SqliteDatabase => hasMethods(value, 'prepare', 'exec');
