import { adapterOf, call, hasMethods, isObject, numberOf, property, shape } from '../client.js';
import { ignore, quietly } from '../pools/abandoned.js';
import type { PoolUsage } from '../pools/pool.js';
import { notReady } from '../reasons.js';
import { kind, recognise } from '../recognise.js';
import { failureOfFresh } from '../second-opinion/fresh.js';
import { type Database, dialectOf, overPool, rowsOf } from './database.js';
import { drivers } from './drivers.js';
import { isPgPool, type PgPool, pgPool } from './postgresql.js';
import { abandonRaw, builders, type KnexDatabase } from './query-builders.js';

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
interface SequelizeDatabase {
  authenticate(): Promise<void>;
  getDialect(): string;
  query(sql: string, options: { readonly raw: true; readonly logging: false }): Promise<unknown>;
}

/** The connection manager of Sequelize, for the dialects that have a pool. */
interface SequelizeManager {
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
interface LucidManager {
  connection(): LucidClient;
  readonly manager: object;
}

/** The result of Lucid's `db.connection()`. */
interface LucidClient {
  getReadClient(): KnexDatabase;
  getWriteClient(): KnexDatabase;
}

export type OrmDatabase =
  | PrismaDatabase
  | TypeormDatabase
  | SequelizeDatabase
  | MikroOrmDatabase
  | LucidClient
  | LucidManager;

export const isPrisma = shape<PrismaDatabase>('$queryRawUnsafe', '$connect');

/** The pool of pg that a driver adapter of Prisma was given. */
export function poolOfPrisma(client: unknown): PgPool | undefined {
  const pool = property(client, '_engineConfig', 'adapter', 'externalPool');
  return isPgPool(pool) ? pool : undefined;
}

export const isTypeorm = (value: unknown): value is TypeormDatabase =>
  hasMethods(value, 'query', 'createQueryRunner') && 'isInitialized' in value && 'driver' in value;

export const isMikroOrm = (value: unknown): value is MikroOrmDatabase =>
  hasMethods(value, 'isConnected') && hasMethods(property(value, 'em'), 'getConnection', 'fork');

const isLucidDatabase = (value: unknown): value is LucidManager =>
  hasMethods(value, 'connection', 'rawQuery', 'getRawConnection') && isObject(property(value, 'manager'));

const isSequelizeManager = shape<SequelizeManager>('getConnection', 'releaseConnection', 'destroyConnection');

function prisma(client: PrismaDatabase): Database {
  const dialect = dialectOf(property(client, '_activeProvider'));
  // The pool that its driver adapter was given can destroy a connection.
  const pool = poolOfPrisma(client);
  if (pool !== undefined) return { ...pgPool(pool), dialect, opinion: undefined };
  // Prisma checks out no connection for us: the slot is held until its driver adapter answers.
  return { dialect, query: async (sql) => rowsOf(await client.$queryRawUnsafe(sql)) };
}

export const poolOfTypeorm = ({ driver }: TypeormDatabase): unknown =>
  property(driver, 'master') ?? property(driver, 'pool');

function typeorm(source: TypeormDatabase): Database {
  const findCause = failureOfFresh(() => {
    const answered = connectAs(source);
    return { answered, identity: '', close: () => answered.catch(ignore) };
  });
  const initialised = over(() => poolOfTypeorm(source), {
    dialect: dialectOf(source.options.type),
    query: async (sql) => rowsOf(await source.query(sql)),
  });
  return {
    ...initialised,
    async query(sql, signal) {
      if (source.isInitialized) return initialised.query(sql, signal);
      throw notReady('the DataSource is not initialized', await findCause(signal));
    },
  };
}

/** Makes a pool as TypeORM does when it is initialised, and ends it. TypeORM's own may be retrying, and is left alone. */
async function connectAs({ driver, options }: TypeormDatabase): Promise<void> {
  if (!/^(postgres|cockroachdb|mysql|mariadb)$/.test(options.type)) return;
  const server = property(options, 'replication', 'master') ?? options;
  const settings = call(driver, 'createConnectionOptions', options, server);
  const args = settings === undefined ? [options, server] : [settings];
  call(await call(driver, 'createPool', ...args), 'end', () => {});
}

function sequelize(client: SequelizeDatabase): Database {
  const manager = property(client, 'connectionManager');
  const dialect = dialectOf(client.getDialect());
  if (!isSequelizeManager(manager) || !/^(postgres|mysql|mariadb)$/.test(client.getDialect()))
    return { dialect, query: async (sql) => rowsOf(await client.query(sql, { raw: true, logging: false })) };
  return overPool(
    dialect,
    {
      acquire: () => manager.getConnection({ type: 'SELECT' }),
      release: (connection: object) => manager.releaseConnection(connection),
      destroy(connection) {
        const closed = abandonRaw(connection);
        void quietly(() => manager.destroyConnection(connection));
        return closed;
      },
      usage: () => sequelizeUsage(property(manager, 'pool')),
    },
    queryRaw,
  );
}

/** The counts of Sequelize's pool: with replication, of the pool for reading. */
function sequelizeUsage(pools: unknown): PoolUsage | undefined {
  const pool = property(pools, 'read') ?? pools;
  const used = numberOf(pool, 'using');
  const size = numberOf(pool, 'size');
  if (used === undefined || size === undefined) return undefined;
  const connecting = size - used - (numberOf(pool, 'available') ?? 0);
  return { used, max: numberOf(pool, 'maxSize'), waiting: numberOf(pool, 'waiting'), connecting };
}

/** Queries a connection of pg or mariadb, which return promises, or of mysql2, which has a method for that. */
async function queryRaw(connection: object, sql: string): Promise<unknown> {
  const client = hasMethods(connection, 'promise') ? call(connection, 'promise') : connection;
  if (!hasMethods(client, 'query')) throw notReady('the connection does not accept queries');
  return call(client, 'query', sql);
}

/** MikroORM 6 uses Knex, 7 uses Kysely. */
const mikroOrm = (orm: MikroOrmDatabase): Database =>
  over(() => {
    const connection = orm.em.getConnection();
    return call(connection, 'getKnex') ?? call(connection, 'getClient');
  });

function lucidClient(client: LucidClient): Database {
  // One in read mode has no other.
  const isReader = property(client, 'mode') === 'read';
  return over(() => (isReader ? client.getReadClient() : client.getWriteClient()));
}

const lucidManager = (manager: LucidManager): Database => over(() => manager.connection().getWriteClient());

/** A library over another client, which it may make only when it connects: uses that client, which may destroy connections. */
export function over(below: () => unknown, library?: Pick<Database, 'dialect' | 'query'>): Database {
  const current = adapterOf(below, (client): Database => {
    const database = recognise([...builders, ...drivers], client)?.() ?? library;
    if (database === undefined) throw notReady('the underlying client is neither Knex nor Kysely');
    return database;
  });
  return {
    get dialect() {
      return library?.dialect ?? current().dialect;
    },
    usage: () => current().usage?.(),
    query: async (sql, signal) => current().query(sql, signal),
  };
}

export const orms = [
  kind(['Prisma'], isPrisma, prisma),
  kind(['TypeORM DataSource'], isTypeorm, typeorm),
  kind(['Sequelize'], shape<SequelizeDatabase>('authenticate', 'getDialect', 'query', 'define'), sequelize),
  kind(['MikroORM'], isMikroOrm, mikroOrm),
  kind(['Lucid'], shape<LucidClient>('getReadClient', 'getWriteClient'), lucidClient),
  kind([], isLucidDatabase, lucidManager),
];
