import { call, hasMethods, isObject, madeOf, NotReady, numberOf, property } from '../client.js';
import { unconnected } from '../flight.js';
import { quietly } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import { kind } from '../recognise.js';
import { type Database, dialectOf, overPool, rowsOf } from './database.js';
import { recogniseDriver } from './drivers.js';
import { isPgPool, type PgPool, pgPool } from './postgresql.js';
import {
  breakOff,
  isKnex,
  isKysely,
  type KnexDatabase,
  knexDatabase,
  kyselyDatabase,
} from './query-builders.js';

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

/** Sequelize's connection manager, which lends connections. */
interface SequelizeLender {
  getConnection(options: { readonly type: 'SELECT' }): Promise<object>;
  releaseConnection(connection: object): unknown;
  destroyConnection(connection: object): Promise<void>;
}

/** A MikroORM 6 or 7 instance with an SQL driver. */
export interface MikroOrmDatabase {
  readonly em: { getConnection(): object };
  isConnected(): Promise<boolean>;
}

/** Lucid's `Database`. */
export interface LucidManager {
  connection(): LucidClient;
  readonly manager: object;
}

/** The result of Lucid's `db.connection()`. */
export interface LucidClient {
  getReadClient(): KnexDatabase;
  getWriteClient(): KnexDatabase;
}

const isPrisma = (value: unknown): value is PrismaDatabase =>
  hasMethods(value, '$queryRawUnsafe', '$connect');

/** The pool of pg that a driver adapter of Prisma was given. */
export function poolOfPrisma(client: unknown): PgPool | undefined {
  const pool = property(client, '_engineConfig', 'adapter', 'externalPool');
  return isPgPool(pool) ? pool : undefined;
}

export const isTypeorm = (value: unknown): value is TypeormDatabase =>
  hasMethods(value, 'query', 'createQueryRunner') && 'isInitialized' in value && 'driver' in value;

const isSequelize = (value: unknown): value is SequelizeDatabase =>
  hasMethods(value, 'authenticate', 'getDialect', 'query', 'define');

export const isMikroOrm = (value: unknown): value is MikroOrmDatabase =>
  hasMethods(value, 'isConnected') && hasMethods(property(value, 'em'), 'getConnection', 'fork');

const isLucidClient = (value: unknown): value is LucidClient =>
  hasMethods(value, 'getReadClient', 'getWriteClient');

const isLucidDatabase = (value: unknown): value is LucidManager =>
  hasMethods(value, 'connection', 'rawQuery', 'getRawConnection') && isObject(property(value, 'manager'));

/** The pool of Sequelize, for the dialects that have one. */
function lenderOf(client: SequelizeDatabase): SequelizeLender | undefined {
  const lender = property(client, 'connectionManager');
  return /^(postgres|mysql|mariadb)$/.test(client.getDialect()) && isSequelizeLender(lender)
    ? lender
    : undefined;
}

const isSequelizeLender = (value: unknown): value is SequelizeLender =>
  hasMethods(value, 'getConnection', 'releaseConnection', 'destroyConnection');

function prisma(client: PrismaDatabase): Database {
  const dialect = dialectOf(property(client, '_activeProvider'));
  // The pool that its driver adapter was given can take a connection back.
  const pool = poolOfPrisma(client);
  if (pool !== undefined) return { ...pgPool(pool), dialect, opinion: undefined };
  // Prisma lends no connection: the slot is held until its driver adapter answers.
  return { dialect, query: async (sql) => rowsOf(await client.$queryRawUnsafe(sql)) };
}

/** The pool of a DataSource that is initialised. */
export const poolOfTypeorm = ({ driver }: TypeormDatabase): unknown =>
  property(driver, 'master') ?? property(driver, 'pool');

export function typeorm(source: TypeormDatabase): Database {
  // TypeORM cannot take a connection back, but the pool below can. It is created when TypeORM is initialised.
  const below = madeOf(
    () => poolOfTypeorm(source),
    (pool) => recogniseDriver(pool)?.(),
  );
  const explain = unconnected('the DataSource is not initialized', () => connectAs(source));
  return {
    dialect: dialectOf(source.options.type),
    usage: () => below()?.usage?.(),
    async query(sql, starter) {
      if (!source.isInitialized) return explain(starter);
      const inner = below();
      return inner === undefined ? rowsOf(await source.query(sql)) : inner.query(sql, starter);
    },
  };
}

/** Makes a pool as TypeORM does when it is initialised, and ends it: its own is left alone, it may be trying again. */
async function connectAs({ driver, options }: TypeormDatabase): Promise<void> {
  if (!/^(postgres|cockroachdb|mysql|mariadb)$/.test(options.type)) return;
  const server = property(options, 'replication', 'master') ?? options;
  const settings = call(driver, 'createConnectionOptions', options, server);
  const given = settings === undefined ? [options, server] : [settings];
  call(await call(driver, 'createPool', ...given), 'end', () => {});
}

function sequelize(client: SequelizeDatabase): Database {
  const lender = lenderOf(client);
  const dialect = dialectOf(client.getDialect());
  if (lender === undefined) {
    return {
      dialect,
      query: async (sql) => rowsOf(await client.query(sql, { raw: true, logging: false })),
    };
  }
  return overPool(
    dialect,
    {
      acquire: () => ({ connection: lender.getConnection({ type: 'SELECT' }) }),
      release: (connection: object) => lender.releaseConnection(connection),
      destroy(connection) {
        const closed = breakOff(connection);
        void quietly(() => lender.destroyConnection(connection));
        return closed;
      },
      usage: () => sequelizeUsage(property(lender, 'pool')),
    },
    queryRaw,
  );
}

/** The counts of Sequelize's pool; with replication there are two, and readers use that for reading. */
function sequelizeUsage(pools: unknown): PoolUsage | undefined {
  const pool = property(pools, 'read') ?? pools;
  const used = numberOf(pool, 'using');
  const size = numberOf(pool, 'size');
  if (used === undefined || size === undefined) return undefined;
  const connecting = size - used - (numberOf(pool, 'available') ?? 0);
  return { used, max: numberOf(pool, 'maxSize'), waiting: numberOf(pool, 'waiting'), connecting };
}

/** Asks a raw connection of pg or mariadb, which return promises, or of mysql2, which has a way to return them. */
async function queryRaw(connection: object, sql: string): Promise<unknown> {
  const asked = hasMethods(connection, 'promise') ? call(connection, 'promise') : connection;
  if (!hasMethods(asked, 'query')) throw new NotReady('the connection does not accept queries');
  return call(asked, 'query', sql);
}

export const mikroOrm = (orm: MikroOrmDatabase): Database =>
  overBuilderOf(() => builderOf(orm.em.getConnection()));

/** MikroORM 6 uses Knex, 7 uses Kysely. */
function builderOf(connection: object): unknown {
  if (hasMethods(connection, 'getKnex')) return call(connection, 'getKnex');
  if (hasMethods(connection, 'getClient')) return call(connection, 'getClient');
  throw new NotReady('this MikroORM has no SQL driver');
}

function lucidClient(client: LucidClient): Database {
  // One in read mode has no other.
  const isReader = property(client, 'mode') === 'read';
  return overBuilderOf(() => (isReader ? client.getReadClient() : client.getWriteClient()));
}

const lucidManager = (manager: LucidManager): Database =>
  overBuilderOf(() => manager.connection().getWriteClient());

/** The query builder is looked up at each question: these libraries make it when they connect. */
export function overBuilderOf(current: () => unknown): Database {
  const database = madeOf(current, (below) => {
    if (isKnex(below)) return knexDatabase(below);
    if (isKysely(below)) return kyselyDatabase(below);
    throw new NotReady('the underlying client is neither Knex nor Kysely');
  });
  return {
    get dialect() {
      return database().dialect;
    },
    usage: () => database().usage?.(),
    query: async (sql, starter) => database().query(sql, starter),
  };
}

export const prismaKind = kind(['Prisma'], isPrisma, prisma);

/** Libraries over others. */
export const orms = [
  kind(['TypeORM DataSource'], isTypeorm, typeorm),
  kind(['Sequelize'], isSequelize, sequelize),
  kind(['MikroORM'], isMikroOrm, mikroOrm),
  kind(['Lucid'], isLucidClient, lucidClient),
  kind([], isLucidDatabase, lucidManager),
];
