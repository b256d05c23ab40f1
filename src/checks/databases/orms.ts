import { call, hasMethods, isObject, NotReady, numberOf, property } from '../client.js';
import { unconnected } from '../flight.js';
import { lending, quietly } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import { kind } from '../recognise.js';
import { type Database, dialectOf, rowsOf } from './database.js';
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
  const pool = property(property(property(client, '_engineConfig'), 'adapter'), 'externalPool');
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

/** Lends connections of Sequelize's pool, for the dialects that have one. */
function lenderOf(client: SequelizeDatabase): SequelizeLender | undefined {
  const lender = property(client, 'connectionManager');
  const isPooled = ['postgres', 'mysql', 'mariadb'].includes(client.getDialect());
  return isPooled && isSequelizeLender(lender) ? lender : undefined;
}

function isSequelizeLender(value: unknown): value is SequelizeLender {
  return hasMethods(value, 'getConnection', 'releaseConnection', 'destroyConnection');
}

function prisma(client: PrismaDatabase): Database {
  const dialect = dialectOf(property(client, '_activeProvider'));
  // The pool that its driver adapter was given can take a connection back.
  const pool = poolOfPrisma(client);
  if (pool !== undefined) return { ...pgPool(pool), dialect, opinion: undefined };
  // Prisma lends no connection: the slot is held until its driver adapter answers.
  return { dialect, query: async (sql) => rowsOf(await client.$queryRawUnsafe(sql)) };
}

export function typeorm(source: TypeormDatabase): Database {
  let known: { readonly pool: unknown; readonly inner: Database | undefined } | undefined;
  // TypeORM cannot take a connection back, but the pool below can. It is created when TypeORM is initialised.
  const below = () => {
    const pool = property(source.driver, 'master') ?? property(source.driver, 'pool');
    if (known?.pool !== pool) known = { pool, inner: recogniseDriver(pool)?.() };
    return known?.inner;
  };
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
  const server = property(property(options, 'replication'), 'master') ?? options;
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
  const usage = () => sequelizeUsage(property(lender, 'pool'));
  const lend = lending<object>({
    acquire() {
      const before = new Set(sequelizeConnections(property(lender, 'pool')));
      const connection = lender.getConnection({ type: 'SELECT' });
      return { connection, isNew: (granted) => !before.has(granted) };
    },
    release: (connection) => lender.releaseConnection(connection),
    destroy(connection) {
      const gone = breakOff(connection);
      quietly(() => lender.destroyConnection(connection));
      return gone;
    },
    usage,
  });
  return {
    dialect,
    usage,
    query: (sql, starter) => lend((connection) => queryRaw(connection, sql), starter),
  };
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

/** The connections that the pool of Sequelize has. */
function sequelizeConnections(pools: unknown): readonly unknown[] {
  const pool = property(pools, 'read') ?? pools;
  const idle = property(pool, '_availableObjects');
  const used = property(pool, '_inUseObjects');
  return [
    ...(Array.isArray(idle) ? idle.map((each: unknown) => property(each, 'resource')) : []),
    ...(Array.isArray(used) ? used.map((each: unknown) => property(each, 'resource') ?? each) : []),
  ];
}

/** Asks a raw connection of pg or mariadb, which return promises, or of mysql2, which calls back. */
async function queryRaw(connection: object, sql: string): ReturnType<Database['query']> {
  const runQuery: unknown = property(connection, 'query');
  if (typeof runQuery !== 'function') throw new NotReady('the connection does not accept queries');
  if (!hasMethods(connection, 'promise')) return rowsOf(await runQuery.call(connection, sql));
  return new Promise((resolve, reject) => {
    runQuery.call(connection, sql, (error: unknown, rows: unknown) =>
      error === null ? resolve(rowsOf(rows)) : reject(error),
    );
  });
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
  let known: { readonly below: unknown; readonly database: Database } | undefined;
  const database = () => {
    const below = current();
    if (known !== undefined && known.below === below) return known.database;
    const made = isKnex(below) ? knexDatabase(below) : isKysely(below) ? kyselyDatabase(below) : undefined;
    if (made === undefined) throw new NotReady('the underlying client is neither Knex nor Kysely');
    known = { below, database: made };
    return made;
  };
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
