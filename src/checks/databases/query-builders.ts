import { adopt, type Family, family, hasMethods, isObject, property } from '../client.js';
import { borrow } from '../flight.js';
import { type Database, rowsOf, selectOne } from './database.js';
import { mysqlCallbacks, type MysqlCallbacks, mysqlPool, type MysqlPool } from './mysql.js';
import { pgClient, type PgClient, pgPool, type PgPool, postgresJs, type PostgresJs } from './postgresql.js';
import { libsqlClient, type LibsqlClient, sqlite, type SqliteDatabase } from './sqlite.js';

/** A Knex instance. */
export interface KnexDatabase {
  raw(sql: string): { connection(connection: object): PromiseLike<unknown> };
  /** A Knex.Client. */
  readonly client: object;
  readonly migrate: object;
}

/** The part of a Knex.Client that lends connections. */
interface KnexClient {
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<void>;
}

interface LendingKnex extends KnexDatabase {
  readonly client: KnexClient;
}

/** A Kysely instance. */
export interface KyselyDatabase {
  executeQuery(query: ReturnType<typeof compiled>): Promise<{ readonly rows: unknown[] }>;
  getExecutor(): { readonly adapter: object };
}

/** A Drizzle database, made with `drizzle(client)`. */
export interface DrizzleDatabase {
  readonly $client:
    | PgPool
    | PgClient
    | PostgresJs
    | MysqlPool
    | MysqlCallbacks
    | SqliteDatabase
    | LibsqlClient;
}

export const knex = family<LendingKnex, Database>(
  ['Knex'],
  (value): value is LendingKnex =>
    hasMethods(value, 'raw', 'select') && lendsConnections(property(value, 'client')),
  (database) => ({ ...dialectOf(property(database.client, 'dialect')), query: overKnex(database) }),
);

function overKnex(database: LendingKnex): Database['query'] {
  const { client } = database;
  return (sql, signal) =>
    borrow(
      {
        acquire: () => client.acquireConnection(),
        use: async (connection) => rowsOf(await database.raw(sql).connection(connection)),
        release: (connection) => client.releaseConnection(connection),
        destroy(connection) {
          // Knex throws such connections away before it lends them again.
          Reflect.set(connection, '__knex__disposed', 'the health check got no answer over it');
          breakOff(connection);
          return client.releaseConnection(connection);
        },
      },
      signal,
    );
}

function lendsConnections(client: unknown): client is KnexClient {
  return hasMethods(client, 'acquireConnection', 'releaseConnection');
}

/** Closes the socket of a raw connection: pg ends at once when a query is open, the others have `destroy`. */
export function breakOff(connection: object): void {
  const close = property(connection, 'destroy') ?? property(connection, 'end');
  if (typeof close === 'function') void Promise.resolve(close.call(connection)).catch(() => {});
}

/** What differs between the SQL dialects, by the word that query builders have for them. */
export function dialectOf(word: unknown): Pick<Database, 'ping' | 'quote'> {
  const name = String(word);
  if (/sqlite|libsql/.test(name)) return { ping: sqlitePing, quote: '"' };
  if (/mysql|mariadb/.test(name)) return { ping: selectOne, quote: '`' };
  // Oracle has no SELECT without a table.
  return { ping: /oracle/.test(name) ? 'SELECT 1 FROM DUAL' : selectOne, quote: '"' };
}

const sqlitePing = 'SELECT 1 FROM sqlite_master LIMIT 1';

export const kysely = family<KyselyDatabase, Database>(
  ['Kysely'],
  (value): value is KyselyDatabase => hasMethods(value, 'selectNoFrom', 'executeQuery', 'getExecutor'),
  (database) => ({
    ...dialectOf(database.getExecutor().adapter.constructor.name.toLowerCase()),
    // Kysely lends connections without a way to throw one away: the slot is held until the driver answers.
    query: async (sql) => rowsOf(await database.executeQuery(compiled(sql))),
  }),
);

/** What Kysely's `CompiledQuery.raw(sql)` makes. */
const compiled = (sql: string) => ({
  sql,
  parameters: [],
  query: { kind: 'RawNode' as const, sqlFragments: [sql], parameters: [] },
  queryId: { queryId: 'lifesign' },
});

const drivers = [pgPool, pgClient, postgresJs, mysqlCallbacks, mysqlPool, sqlite, libsqlClient];

/** Drizzle asks the client it was made with: so do we, and can take a connection back. */
export const drizzle: Family<Database> = {
  names: ['Drizzle'],
  adopt: (value) => (isObject(value) && '$client' in value ? adopt(drivers, value.$client) : undefined),
};
