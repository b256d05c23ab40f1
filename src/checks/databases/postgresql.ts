import { family, hasMethods } from '../client.js';
import { borrow } from '../flight.js';
import { type Database, rowsOf, selectOne } from './database.js';

/** A connection of a pg pool. */
interface PgPoolClient {
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

const common = { ping: selectOne, quote: '"' } as const;

export const pgPool = family<PgPool, Database>(
  ['pg Pool'],
  (value): value is PgPool =>
    hasMethods(value, 'connect', 'query') && 'totalCount' in value && 'idleCount' in value,
  (pool) => ({
    ...common,
    query: (sql, signal) =>
      borrow(
        {
          async acquire() {
            const client = await pool.connect();
            // A connection on loan that breaks emits an error, and without a listener that ends the process.
            client.on('error', ignore);
            return client;
          },
          use: async (client) => rowsOf(await client.query(sql)),
          release(client) {
            client.off('error', ignore);
            client.release();
          },
          destroy: (client) => client.release(true),
        },
        signal,
      ),
  }),
);

const ignore = () => {};

export const pgClient = family<PgClient, Database>(
  ['pg Client'],
  (value): value is PgClient => hasMethods(value, 'query', 'escapeIdentifier', 'end'),
  (client) => ({ ...common, query: async (sql) => rowsOf(await client.query(sql)) }),
);

export const postgresJs = family<PostgresJs, Database>(
  ['postgres'],
  (value): value is PostgresJs => hasMethods(value, 'unsafe', 'reserve', 'notify'),
  (sql) => ({ ...common, query: async (text) => rowsOf(await sql.unsafe(text)) }),
);
