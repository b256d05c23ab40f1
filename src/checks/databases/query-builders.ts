import { adopt, call, type Family, family, hasMethods, numberOf, property } from '../client.js';
import { lending } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import { type Database, rowsOf, selectOne } from './database.js';
import { mysqlCallbacks, mysqlPool } from './mysql.js';
import { postgresJs } from './postgres-js.js';
import { pgClient, pgPool } from './postgresql.js';
import { libsqlClient, sqlite } from './sqlite.js';
import {
  isDrizzle,
  isKnex,
  isKysely,
  type KyselyDatabase,
  type KyselyQuery,
  type LendingKnex,
} from './wrapper-shapes.js';

export const knex = family<LendingKnex, Database>(isKnex, (database) => ({
  ...dialectOf(property(database.client, 'dialect')),
  usage: () => tarnUsage(property(database.client, 'pool')),
  query: overKnex(database),
}));

function overKnex(database: LendingKnex): Database['query'] {
  const { client } = database;
  const lend = lending<object>({
    ask: () => ({ connection: client.acquireConnection() }),
    release: (connection) => client.releaseConnection(connection),
    destroy(connection) {
      // Knex throws such connections away before it lends them again.
      Reflect.set(connection, '__knex__disposed', 'the health check got no answer over it');
      breakOff(connection);
      return client.releaseConnection(connection);
    },
    usage: () => tarnUsage(property(client, 'pool')),
  });
  return (sql, starter) =>
    lend(async (connection) => rowsOf(await database.raw(sql).connection(connection)), starter);
}

/** What tarn, the pool of Knex, tells. */
function tarnUsage(pool: unknown): PoolUsage | undefined {
  if (!hasMethods(pool, 'numUsed', 'numPendingAcquires', 'numPendingCreates')) return undefined;
  return {
    used: Number(call(pool, 'numUsed')),
    max: numberOf(pool, 'max'),
    waiting: Number(call(pool, 'numPendingAcquires')),
    connecting: Number(call(pool, 'numPendingCreates')),
  };
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

export const kysely = family<KyselyDatabase, Database>(isKysely, (database) => ({
  ...dialectOf(database.getExecutor().adapter.constructor.name.toLowerCase()),
  query: overKysely(database),
}));

/** A connection that Kysely lends for as long as a callback runs. */
interface KyselyLoan {
  readonly connection: Pick<KyselyDatabase, 'executeQuery'>;
  giveBack(): void;
}

/** Kysely lends connections without a way to throw one away: the slot is held until the driver answers. */
function overKysely(database: KyselyDatabase): Database['query'] {
  const lend = lending<KyselyLoan>({
    ask: () => ({
      connection: new Promise((grant, refuse) => {
        database
          .connection()
          .execute((connection) => new Promise<void>((giveBack) => grant({ connection, giveBack })))
          .catch(refuse);
      }),
    }),
    release: (loan) => loan.giveBack(),
  });
  return (sql, starter) =>
    lend(async ({ connection }) => rowsOf(await connection.executeQuery(compiled(sql))), starter);
}

/** What Kysely's `CompiledQuery.raw(sql)` makes. */
const compiled = (sql: string): KyselyQuery => ({
  sql,
  parameters: [],
  query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
  queryId: { queryId: 'lifesign' },
});

const drivers = [pgPool, pgClient, postgresJs, mysqlCallbacks, mysqlPool, sqlite, libsqlClient];

/** Drizzle asks the client it was made with: so do we, and can take a connection back. */
export const drizzle: Family<Database> = {
  adopt: (value) => (isDrizzle(value) ? adopt(drivers, value.$client) : undefined),
};
