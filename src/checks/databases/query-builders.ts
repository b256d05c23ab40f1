import { call, hasMethods, numberOf, property } from '../client.js';
import { lending } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import { type Database, rowsOf } from './database.js';
import { dialectOf } from './dialect.js';
import { mariadbSocketOf } from './mariadb-socket.js';
import type { KyselyDatabase, KyselyQuery, LendingKnex } from './wrapper-shapes.js';

export const knex = (database: LendingKnex): Database => ({
  dialect: dialectOf(property(database.client, 'dialect')),
  usage: () => tarnUsage(property(database.client, 'pool')),
  query: overKnex(database),
});

function overKnex(database: LendingKnex): Database['query'] {
  const { client } = database;
  const lend = lending<object>({
    ask: () => ({ connection: client.acquireConnection() }),
    release: (connection) => client.releaseConnection(connection),
    destroy(connection) {
      // Knex throws such connections away before it lends them again.
      Reflect.set(connection, '__knex__disposed', 'the health check got no answer on it');
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
  const socket = mariadbSocketOf(connection);
  if (hasMethods(socket, 'destroy')) {
    call(socket, 'destroy', new Error('The check was abandoned'));
    return;
  }
  const close = property(connection, 'destroy') ?? property(connection, 'end');
  if (typeof close === 'function') void Promise.resolve(close.call(connection)).catch(() => {});
}

export const kysely = (database: KyselyDatabase): Database => ({
  dialect: dialectOf(database.getExecutor().adapter.constructor.name),
  query: overKysely(database),
});

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
