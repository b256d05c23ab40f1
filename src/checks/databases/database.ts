import { isObject, property } from '../client.js';
import { Checkout } from '../pools/checkout.js';
import type { Pool, PoolUsage } from '../pools/pool.js';
import type { Dependency } from '../second-opinion/opinion.js';

type Row = Readonly<Record<string, unknown>>;

/** Any database client: it answers SQL over the application's own connections. */
export interface Database {
  /**
   * Runs one reading statement. After the signal it resolves as soon as the connection is released,
   * or not before the client releases it.
   */
  query(sql: string, signal: AbortSignal): Promise<readonly Row[]>;
  readonly usage?: (() => PoolUsage | undefined) | undefined;
  readonly dialect: Dialect;
  /** How a second opinion queries outside of the client, if it can. */
  readonly opinion?: Pick<Dependency, 'connect' | 'onCheckout' | 'held'> | undefined;
}

export function overPool<Connection>(
  dialect: Dialect,
  pool: Pool<Connection>,
  query: (connection: Connection, sql: string) => PromiseLike<unknown>,
  opinion?: Database['opinion'],
): Database {
  const checkout = new Checkout(pool);
  return {
    dialect,
    usage: pool.usage,
    query: (sql, signal) => checkout.use(async (connection) => rowsOf(await query(connection, sql)), signal),
    opinion,
  };
}

/** The rows of a driver's result: `{ rows }`, `[rows, fields]` or the rows themselves. */
export function rowsOf(result: unknown): readonly Row[] {
  const rows: unknown = property(result, 'rows') ?? (Array.isArray(result) ? result : []);
  if (!Array.isArray(rows)) return [];
  const inner: unknown = rows[0];
  return (Array.isArray(inner) ? inner : rows).filter((row): row is Row => isObject(row));
}

export interface Dialect {
  /** The cheapest statement that reaches the database. */
  readonly ping: string;
  /** The character around names. */
  readonly quote: '"' | '`';
}

export const postgresqlDialect: Dialect = { ping: 'SELECT 1', quote: '"' };
export const mysqlDialect: Dialect = { ping: 'SELECT 1', quote: '`' };
// `SELECT 1` would not touch the file: this reads its first page.
export const sqliteDialect: Dialect = { ping: 'SELECT 1 FROM sqlite_master LIMIT 1', quote: '"' };

/** The dialect by the name that a query builder or an ORM has for it. */
export function dialectOf(word: unknown): Dialect {
  const name = String(word);
  if (/sqlite|libsql/i.test(name)) return sqliteDialect;
  if (/mysql|mariadb/i.test(name)) return mysqlDialect;
  if (/postgres|cockroach|redshift/i.test(name)) return postgresqlDialect;
  // Oracle has no SELECT without a table.
  return { ping: /oracle/i.test(name) ? 'SELECT 1 FROM DUAL' : 'SELECT 1', quote: '"' };
}
