import { call, hasMethods, numberOf, property, shape } from '../client.js';
import { abandon, quietly } from '../pools/abandoned.js';
import type { PoolUsage } from '../pools/pool.js';
import { kind } from '../recognise.js';
import { type Database, dialectOf, overPool } from './database.js';
import { abandonPg } from './postgresql.js';

/** A Knex instance. */
export interface KnexDatabase {
  raw(sql: string): { connection(connection: object): PromiseLike<unknown> };
  readonly client: object;
  readonly migrate: object;
}

interface KnexWithClient extends KnexDatabase {
  readonly client: {
    acquireConnection(): Promise<object>;
    releaseConnection(connection: object): Promise<void>;
  };
}

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

export const isKnex = (value: unknown): value is KnexWithClient =>
  hasMethods(value, 'raw', 'select') &&
  hasMethods(property(value, 'client'), 'acquireConnection', 'releaseConnection');

export const isKysely = shape<KyselyDatabase>('selectNoFrom', 'executeQuery', 'getExecutor', 'connection');

function knexDatabase(database: KnexWithClient): Database {
  const { client } = database;
  return overPool(
    dialectOf(property(client, 'dialect')),
    {
      acquire: () => client.acquireConnection(),
      release: (connection: object) => client.releaseConnection(connection),
      destroy(connection) {
        // Knex destroys such connections when they are next acquired.
        Reflect.set(connection, '__knex__disposed', 'the health check got no answer on it');
        const closed = abandonRaw(connection);
        void quietly(() => client.releaseConnection(connection));
        return closed;
      },
      usage: () => tarnUsage(property(client, 'pool')),
    },
    (connection, sql) => database.raw(sql).connection(connection),
  );
}

function tarnUsage(pool: unknown): PoolUsage | undefined {
  if (!hasMethods(pool, 'numUsed', 'numPendingAcquires', 'numPendingCreates')) return undefined;
  return {
    used: Number(call(pool, 'numUsed')),
    max: numberOf(pool, 'max'),
    waiting: Number(call(pool, 'numPendingAcquires')),
    connecting: Number(call(pool, 'numPendingCreates')),
  };
}

/** Abandons a connection of the driver below; resolves when the server has closed it too. */
export function abandonRaw(connection: object): Promise<void> | undefined {
  // mariadb would kill its session over another connection. Nothing shows when the server has closed this one.
  if (hasMethods(connection, 'isValid', 'once')) return new Promise(() => {});
  // mysql2 has `destroy`, pg has `end`, which ends at once when a query is open.
  if (hasMethods(connection, 'destroy'))
    return abandon(property(connection, 'stream'), () => call(connection, 'destroy'));
  return abandonPg(connection, () => void quietly(() => call(connection, 'end')));
}

/** A connection of Kysely, which is checked out for as long as a callback runs. */
interface KyselyConnection {
  readonly connection: Pick<KyselyDatabase, 'executeQuery'>;
  release(): void;
}

/** Kysely cannot destroy a connection that is checked out: the slot is held until the driver answers. */
const kyselyDatabase = (database: KyselyDatabase): Database =>
  overPool(
    dialectOf(database.getExecutor().adapter.constructor.name),
    {
      acquire: () =>
        new Promise<KyselyConnection>((resolve, reject) => {
          database
            .connection()
            .execute((connection) => new Promise<void>((release) => resolve({ connection, release })))
            .catch(reject);
        }),
      release: (checkedOut) => checkedOut.release(),
    },
    ({ connection }, sql) =>
      connection.executeQuery({
        sql,
        parameters: [],
        query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
        queryId: { queryId: 'lifesign' },
      }),
  );

export const builders = [kind(['Knex'], isKnex, knexDatabase), kind(['Kysely'], isKysely, kyselyDatabase)];
