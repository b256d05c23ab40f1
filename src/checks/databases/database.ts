import { isObject, property } from '../client.js';
import type { Starter } from '../flight.js';
import type { PoolUsage } from '../pools/pool.js';
import type { Dialect } from './dialect.js';

/** A row as any driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** A database client, whichever it is: something that answers SQL over the application's own connections. */
export interface Database {
  /**
   * Runs one reading statement. After the signal it settles as soon as the connection is given back,
   * or not before the client releases it.
   */
  query(sql: string, starter: Starter): Promise<readonly Row[]>;
  /** The counts of the pool, if it shows them. */
  readonly usage?: () => PoolUsage | undefined;
  readonly dialect: Dialect;
}

/** The rows of a driver's result: `{ rows }`, `[rows, fields]` or the rows themselves. */
export function rowsOf(result: unknown): readonly Row[] {
  const rows: unknown = property(result, 'rows') ?? (Array.isArray(result) ? result : []);
  if (!Array.isArray(rows)) return [];
  const inner: unknown = rows[0];
  return (Array.isArray(inner) ? inner : rows).filter(isRow);
}

function isRow(value: unknown): value is Row {
  return isObject(value);
}
