import { adopt, type Family, family, hasMethods, isObject, property } from '../client.js';
import { borrow } from '../flight.js';
import { NotReady } from '../reasons.js';
import { type Database, rowsOf } from './database.js';
import { mysqlCallbacks } from './mysql.js';
import { pgPool } from './postgresql.js';
import { breakOff, dialectOf, knex, type KnexDatabase } from './query-builders.js';

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

/** A MikroORM 6 instance with an SQL driver. */
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
  (client) => ({
    ...dialectOf(property(client, '_activeProvider')),
    // Prisma lends no connection: the slot is held until its driver adapter answers.
    query: async (sql) => rowsOf(await client.$queryRawUnsafe(sql)),
  }),
);

export const typeorm = family<TypeormDatabase, Database>(
  ['TypeORM DataSource'],
  (value): value is TypeormDatabase =>
    hasMethods(value, 'query', 'createQueryRunner') && 'isInitialized' in value && 'driver' in value,
  (source) => ({
    ...dialectOf(source.options.type),
    async query(sql, signal) {
      if (!source.isInitialized) throw new NotReady('the DataSource is not initialised');
      // The pool below has what TypeORM has not: a way to take a connection back.
      const pool = property(source.driver, 'master') ?? property(source.driver, 'pool');
      const inner = adopt([pgPool, mysqlCallbacks], pool);
      return inner === undefined ? rowsOf(await source.query(sql)) : inner.query(sql, signal);
    },
  }),
);

export const sequelize = family<SequelizeDatabase, Database>(
  ['Sequelize'],
  (value): value is SequelizeDatabase => hasMethods(value, 'authenticate', 'getDialect', 'query', 'define'),
  (client) => ({
    ...dialectOf(client.getDialect()),
    async query(sql, signal) {
      const lender = property(client, 'connectionManager');
      if (!isSequelizeLender(lender) || !['postgres', 'mysql', 'mariadb'].includes(client.getDialect())) {
        return rowsOf(await client.query(sql, { raw: true, logging: false }));
      }
      return borrow(
        {
          acquire: () => lender.getConnection({ type: 'SELECT' }),
          use: (connection) => queryRaw(connection, sql),
          release: (connection) => lender.releaseConnection(connection),
          destroy(connection) {
            breakOff(connection);
            return lender.destroyConnection(connection);
          },
        },
        signal,
      );
    },
  }),
);

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
  adopt(value) {
    if (!isMikroOrm(value)) return undefined;
    const knexOf = () => {
      const connection = value.em.getConnection();
      if (!hasKnex(connection)) throw new NotReady('this MikroORM has no SQL driver');
      return connection.getKnex();
    };
    return overKnexOf(knexOf);
  },
};

function isMikroOrm(value: unknown): value is MikroOrmDatabase {
  return hasMethods(value, 'isConnected') && hasMethods(property(value, 'em'), 'getConnection', 'fork');
}

function hasKnex(connection: object): connection is { getKnex(): KnexDatabase } {
  return hasMethods(connection, 'getKnex');
}

export const lucid: Family<Database> = {
  names: ['Lucid'],
  adopt(value) {
    if (isLucidClient(value)) return overKnexOf(() => value.getWriteClient());
    return isLucidDatabase(value) ? overKnexOf(() => value.connection().getWriteClient()) : undefined;
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

/** The Knex is looked up at each question: these libraries make it when they connect. */
function overKnexOf(current: () => KnexDatabase): Database {
  const database = () => {
    const made = knex.adopt(current());
    if (made === undefined) throw new NotReady('the client below is no Knex');
    return made;
  };
  return {
    get ping() {
      return database().ping;
    },
    get quote() {
      return database().quote;
    },
    query: async (sql, signal) => database().query(sql, signal),
  };
}
