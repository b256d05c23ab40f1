import { call, hasMethods, numberOf, property } from '../client.js';
import type { PoolUsage } from '../pools/pool.js';
import { partFrom, quietly } from '../pools/unserved.js';
import { kind } from '../recognise.js';
import { type Database, dialectOf, overPool } from './database.js';
import { partFromPg } from './postgresql.js';

/** A Knex instance. */
export interface KnexDatabase {
  raw(sql: string): { connection(connection: object): PromiseLike<unknown> };
  /** A Knex.Client. */
  readonly client: object;
  readonly migrate: object;
}

/** The part of a Knex.Client that checks out connections. */
interface KnexClient {
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<void>;
}

interface LendingKnex extends KnexDatabase {
  readonly client: KnexClient;
}

/** The result of Kysely's `CompiledQuery.raw(sql)`. */
interface KyselyQuery {
  readonly sql: string;
  readonly parameters: never[];
  readonly query: { kind: 'RawNode'; sqlFragments: string[]; parameters: never[] };
  readonly queryId: { readonly queryId: string };
}

/** A Kysely instance. */
export interface KyselyDatabase {
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: unknown[] }>;
  getExecutor(): { readonly adapter: object };
  connection(): {
    execute(use: (connection: Pick<KyselyDatabase, 'executeQuery'>) => Promise<void>): Promise<void>;
  };
}

export const isKnex = (value: unknown): value is LendingKnex =>
  hasMethods(value, 'raw', 'select') &&
  hasMethods(property(value, 'client'), 'acquireConnection', 'releaseConnection');

export const isKysely = (value: unknown): value is KyselyDatabase =>
  hasMethods(value, 'selectNoFrom', 'executeQuery', 'getExecutor', 'connection');

function knexDatabase(database: LendingKnex): Database {
  const { client } = database;
  return overPool(
    dialectOf(property(client, 'dialect')),
    {
      acquire: () => ({ connection: client.acquireConnection() }),
      release: (connection: object) => client.releaseConnection(connection),
      destroy(connection) {
        // Knex destroys such connections before it checks them out again.
        Reflect.set(connection, '__knex__disposed', 'the health check got no answer on it');
        const closed = breakOff(connection);
        void quietly(() => client.releaseConnection(connection));
        return closed;
      },
      usage: () => tarnUsage(property(client, 'pool')),
    },
    (connection, sql) => database.raw(sql).connection(connection),
  );
}

/** The counts of tarn, the pool of Knex. */
function tarnUsage(pool: unknown): PoolUsage | undefined {
  if (!hasMethods(pool, 'numUsed', 'numPendingAcquires', 'numPendingCreates')) return undefined;
  return {
    used: Number(call(pool, 'numUsed')),
    max: numberOf(pool, 'max'),
    waiting: Number(call(pool, 'numPendingAcquires')),
    connecting: Number(call(pool, 'numPendingCreates')),
  };
}

/** Drops a raw connection that gave no answer; resolves when the server has closed it too. */
export function breakOff(connection: object): Promise<void> | undefined {
  // mariadb would end its session over another connection. When the server has closed it, nothing shows.
  if (hasMethods(connection, 'isValid', 'once')) return new Promise(() => {});
  // mysql2 and mysql have `destroy`, pg has `end`, which ends at once when a query is open.
  if (hasMethods(connection, 'destroy')) {
    const stream = property(connection, 'stream') ?? property(connection, '_socket');
    return partFrom(stream, () => call(connection, 'destroy'));
  }
  return partFromPg(connection, () => void quietly(() => call(connection, 'end')));
}

/** A connection that Kysely checks out while a callback runs. */
interface KyselyLoan {
  readonly connection: Pick<KyselyDatabase, 'executeQuery'>;
  release(): void;
}

/** Kysely checks out connections without a way to destroy one: the slot is held until the driver answers. */
const kyselyDatabase = (database: KyselyDatabase): Database =>
  overPool(
    dialectOf(database.getExecutor().adapter.constructor.name),
    {
      acquire: () => ({
        connection: new Promise<KyselyLoan>((grant, refuse) => {
          database
            .connection()
            .execute((connection) => new Promise<void>((release) => grant({ connection, release })))
            .catch(refuse);
        }),
      }),
      release: (loan) => loan.release(),
    },
    ({ connection }, sql) => connection.executeQuery(compiled(sql)),
  );

/** The result of Kysely's `CompiledQuery.raw(sql)`. */
const compiled = (sql: string): KyselyQuery => ({
  sql,
  parameters: [],
  query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
  queryId: { queryId: 'lifesign' },
});

export const builders = [kind(['Knex'], isKnex, knexDatabase), kind(['Kysely'], isKysely, kyselyDatabase)];
