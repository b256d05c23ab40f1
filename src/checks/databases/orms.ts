import { adopt, call, type Family, family, hasMethods, isObject, numberOf, property } from '../client.js';
import { lending } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import { NotReady } from '../reasons.js';
import { type Database, rowsOf } from './database.js';
import { mysqlCallbacks } from './mysql.js';
import { pgPool } from './postgresql.js';
import { breakOff, dialectOf, knex, type KnexDatabase, kysely } from './query-builders.js';

/** A Prisma client. */
export interface PrismaDatabase {
  $queryRawUnsafe(sql: string): Promise<unknown>;
  $connect(): Promise<void>;
}

/** A TypeORM `DataSource`. */
export interface TypeormDatabase {
  readonly isInitialized: boolean;
  readonly driver: object;
  readonly options: { readonly type: string };
  query(sql: string): Promise<unknown>;
}

/** A Sequelize 6 instance. */
export interface SequelizeDatabase {
  authenticate(): Promise<void>;
  getDialect(): string;
  query(sql: string, options: { readonly raw: true; readonly logging: false }): Promise<unknown>;
}

/** A MikroORM 6 or 7 instance with an SQL driver. */
export interface MikroOrmDatabase {
  readonly em: { getConnection(): object };
  isConnected(): Promise<boolean>;
}

/** Lucid's `Database` or one of its query clients. */
export type LucidDatabase = LucidClient | { connection(): LucidClient; readonly manager: object };

/** What `db.connection()` of Lucid returns. */
interface LucidClient {
  getReadClient(): KnexDatabase;
  getWriteClient(): KnexDatabase;
}

export const prisma = family<PrismaDatabase, Database>(
  ['Prisma'],
  (value): value is PrismaDatabase => hasMethods(value, '$queryRawUnsafe', '$connect'),
  (client) => {
    const dialect = dialectOf(property(client, '_activeProvider'));
    // A driver adapter that was given a pool of pg: the pool can take a connection back.
    const pool = property(property(property(client, '_engineConfig'), 'adapter'), 'externalPool');
    const inner = pgPool.adopt(pool);
    if (inner !== undefined) return { ...inner, ...dialect };
    // Prisma lends no connection: the slot is held until its driver adapter answers.
    return { ...dialect, query: async (sql) => rowsOf(await client.$queryRawUnsafe(sql)) };
  },
);

export const typeorm = family<TypeormDatabase, Database>(
  ['TypeORM DataSource'],
  (value): value is TypeormDatabase =>
    hasMethods(value, 'query', 'createQueryRunner') && 'isInitialized' in value && 'driver' in value,
  (source) => {
    let known: { readonly pool: unknown; readonly inner: Database | undefined } | undefined;
    // The pool below has what TypeORM has not: a way to take a connection back. It makes one when it is initialised.
    const below = () => {
      const pool = property(source.driver, 'master') ?? property(source.driver, 'pool');
      if (known?.pool !== pool) known = { pool, inner: adopt([pgPool, mysqlCallbacks], pool) };
      return known?.inner;
    };
    return {
      ...dialectOf(source.options.type),
      usage: () => below()?.usage?.(),
      async query(sql, starter) {
        if (!source.isInitialized) throw new NotReady('the DataSource is not initialised');
        const inner = below();
        return inner === undefined ? rowsOf(await source.query(sql)) : inner.query(sql, starter);
      },
    };
  },
);

export const sequelize = family<SequelizeDatabase, Database>(
  ['Sequelize'],
  (value): value is SequelizeDatabase => hasMethods(value, 'authenticate', 'getDialect', 'query', 'define'),
  (client) => {
    const dialect = dialectOf(client.getDialect());
    const lender = property(client, 'connectionManager');
    if (!isSequelizeLender(lender) || !['postgres', 'mysql', 'mariadb'].includes(client.getDialect())) {
      return {
        ...dialect,
        query: async (sql) => rowsOf(await client.query(sql, { raw: true, logging: false })),
      };
    }
    const usage = () => sequelizeUsage(property(lender, 'pool'));
    const lend = lending<object>({
      ask: () => ({ connection: lender.getConnection({ type: 'SELECT' }) }),
      release: (connection) => lender.releaseConnection(connection),
      destroy(connection) {
        breakOff(connection);
        return lender.destroyConnection(connection);
      },
      usage,
    });
    return {
      ...dialect,
      usage,
      query: (sql, starter) => lend((connection) => queryRaw(connection, sql), starter),
    };
  },
);

/** What the pool of Sequelize tells; with replication there are two, and readers use that for reading. */
function sequelizeUsage(pools: unknown): PoolUsage | undefined {
  const pool = property(pools, 'read') ?? pools;
  const used = numberOf(pool, 'using');
  const size = numberOf(pool, 'size');
  if (used === undefined || size === undefined) return undefined;
  const connecting = size - used - (numberOf(pool, 'available') ?? 0);
  return { used, max: numberOf(pool, 'maxSize'), waiting: numberOf(pool, 'waiting'), connecting };
}

interface SequelizeLender {
  getConnection(options: { readonly type: 'SELECT' }): Promise<object>;
  releaseConnection(connection: object): unknown;
  destroyConnection(connection: object): Promise<void>;
}

function isSequelizeLender(value: unknown): value is SequelizeLender {
  return hasMethods(value, 'getConnection', 'releaseConnection', 'destroyConnection');
}

/** Asks a raw connection of pg or mariadb, which return promises, or of mysql2, which calls back. */
async function queryRaw(connection: object, sql: string): ReturnType<Database['query']> {
  const ask: unknown = property(connection, 'query');
  if (typeof ask !== 'function') throw new NotReady('the connection takes no queries');
  if (!hasMethods(connection, 'promise')) return rowsOf(await ask.call(connection, sql));
  return new Promise((resolve, reject) => {
    ask.call(connection, sql, (error: unknown, rows: unknown) =>
      error === null ? resolve(rowsOf(rows)) : reject(error),
    );
  });
}

export const mikroOrm: Family<Database> = {
  names: ['MikroORM'],
  adopt: (value) =>
    isMikroOrm(value) ? overBuilderOf(() => builderOf(value.em.getConnection())) : undefined,
};

/** MikroORM 6 stands on Knex, 7 on Kysely. */
function builderOf(connection: object): unknown {
  if (hasMethods(connection, 'getKnex')) return call(connection, 'getKnex');
  if (hasMethods(connection, 'getClient')) return call(connection, 'getClient');
  throw new NotReady('this MikroORM has no SQL driver');
}

function isMikroOrm(value: unknown): value is MikroOrmDatabase {
  return hasMethods(value, 'isConnected') && hasMethods(property(value, 'em'), 'getConnection', 'fork');
}

export const lucid: Family<Database> = {
  names: ['Lucid'],
  adopt(value) {
    if (isLucidClient(value)) {
      // One in read mode has no other.
      const isReader = property(value, 'mode') === 'read';
      return overBuilderOf(() => (isReader ? value.getReadClient() : value.getWriteClient()));
    }
    return isLucidDatabase(value) ? overBuilderOf(() => value.connection().getWriteClient()) : undefined;
  },
};

function isLucidClient(value: unknown): value is LucidClient {
  return hasMethods(value, 'getReadClient', 'getWriteClient');
}

function isLucidDatabase(value: unknown): value is { connection(): LucidClient } {
  return (
    hasMethods(value, 'connection', 'rawQuery', 'getRawConnection') && isObject(property(value, 'manager'))
  );
}

/** The query builder is looked up at each question: these libraries make it when they connect. */
function overBuilderOf(current: () => unknown): Database {
  let known: { readonly below: unknown; readonly database: Database } | undefined;
  const database = () => {
    const below = current();
    if (known !== undefined && known.below === below) return known.database;
    const made = adopt([knex, kysely], below);
    if (made === undefined) throw new NotReady('the client below is neither Knex nor Kysely');
    known = { below, database: made };
    return made;
  };
  return {
    get ping() {
      return database().ping;
    },
    get quote() {
      return database().quote;
    },
    usage: () => database().usage?.(),
    query: async (sql, starter) => database().query(sql, starter),
  };
}
