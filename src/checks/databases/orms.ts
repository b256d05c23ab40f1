import { adopt, call, type Family, family, hasMethods, NotReady, numberOf, property } from '../client.js';
import { lending } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import { type Database, rowsOf } from './database.js';
import { mysqlCallbacks } from './mysql.js';
import { pgPool } from './postgresql.js';
import { breakOff, dialectOf, knex, kysely } from './query-builders.js';
import {
  isLucidClient,
  isLucidDatabase,
  isMikroOrm,
  isPrisma,
  isSequelize,
  isTypeorm,
  lenderOf,
  poolOfPrisma,
  type PrismaDatabase,
  type SequelizeDatabase,
  type TypeormDatabase,
} from './wrapper-shapes.js';

export const prisma = family<PrismaDatabase, Database>(isPrisma, (client) => {
  const dialect = dialectOf(property(client, '_activeProvider'));
  // A driver adapter that was given a pool of pg: the pool can take a connection back.
  const inner = pgPool.adopt(poolOfPrisma(client));
  if (inner !== undefined) return { ...inner, ...dialect };
  // Prisma lends no connection: the slot is held until its driver adapter answers.
  return { ...dialect, query: async (sql) => rowsOf(await client.$queryRawUnsafe(sql)) };
});

export const typeorm = family<TypeormDatabase, Database>(isTypeorm, (source) => {
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
});

export const sequelize = family<SequelizeDatabase, Database>(isSequelize, (client) => {
  const dialect = dialectOf(client.getDialect());
  const lender = lenderOf(client);
  if (lender === undefined) {
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
});

/** What the pool of Sequelize tells; with replication there are two, and readers use that for reading. */
function sequelizeUsage(pools: unknown): PoolUsage | undefined {
  const pool = property(pools, 'read') ?? pools;
  const used = numberOf(pool, 'using');
  const size = numberOf(pool, 'size');
  if (used === undefined || size === undefined) return undefined;
  const connecting = size - used - (numberOf(pool, 'available') ?? 0);
  return { used, max: numberOf(pool, 'maxSize'), waiting: numberOf(pool, 'waiting'), connecting };
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
  adopt: (value) =>
    isMikroOrm(value) ? overBuilderOf(() => builderOf(value.em.getConnection())) : undefined,
};

/** MikroORM 6 stands on Knex, 7 on Kysely. */
function builderOf(connection: object): unknown {
  if (hasMethods(connection, 'getKnex')) return call(connection, 'getKnex');
  if (hasMethods(connection, 'getClient')) return call(connection, 'getClient');
  throw new NotReady('this MikroORM has no SQL driver');
}

export const lucid: Family<Database> = {
  adopt(value) {
    if (isLucidClient(value)) {
      // One in read mode has no other.
      const isReader = property(value, 'mode') === 'read';
      return overBuilderOf(() => (isReader ? value.getReadClient() : value.getWriteClient()));
    }
    return isLucidDatabase(value) ? overBuilderOf(() => value.connection().getWriteClient()) : undefined;
  },
};

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
