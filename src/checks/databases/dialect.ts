/** Differences between SQL databases. */
export interface Dialect {
  readonly name: 'postgresql' | 'mysql' | 'sqlite' | 'oracle' | 'other';
  /** The cheapest statement that reaches the database. */
  readonly ping: string;
  /** The character around names. */
  readonly quote: '"' | '`';
}

export const postgresql: Dialect = { name: 'postgresql', ping: 'SELECT 1', quote: '"' };
export const mysql: Dialect = { name: 'mysql', ping: 'SELECT 1', quote: '`' };
// `SELECT 1` would not touch the file: this reads its first page.
export const sqlite: Dialect = {
  name: 'sqlite',
  ping: 'SELECT 1 FROM sqlite_master LIMIT 1',
  quote: '"',
};
// It has no SELECT without a table.
const oracle: Dialect = { name: 'oracle', ping: 'SELECT 1 FROM DUAL', quote: '"' };
const other: Dialect = { name: 'other', ping: 'SELECT 1', quote: '"' };

const words: readonly (readonly [RegExp, Dialect])[] = [
  [/sqlite|libsql/i, sqlite],
  [/mysql|mariadb/i, mysql],
  [/postgres|cockroach|redshift/i, postgresql],
  [/oracle/i, oracle],
];

/** The dialect by the word that a query builder or an ORM has for it. */
export function dialectOf(word: unknown): Dialect {
  const name = String(word);
  return words.find(([known]) => known.test(name))?.[1] ?? other;
}
