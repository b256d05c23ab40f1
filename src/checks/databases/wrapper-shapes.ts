import { hasMethods, isObject, property } from '../client.js';
import {
  isPgPool,
  type MysqlCallbacks,
  type MysqlConnection,
  type MysqlPool,
  type PgClient,
  type PgPool,
  type PostgresJs,
  type SqliteDatabase,
} from './driver-shapes.js';

/** A Knex instance. */
export interface KnexDatabase {
  raw(sql: string): { connection(connection: object): PromiseLike<unknown> };
  /** A Knex.Client. */
  readonly client: object;
  readonly migrate: object;
}

/** The part of a Knex.Client that lends connections. */
interface KnexClient {
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<void>;
}

export interface LendingKnex extends KnexDatabase {
  readonly client: KnexClient;
}

/** The result of Kysely's `CompiledQuery.raw(sql)`. */
export interface KyselyQuery {
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

/** A client that speaks to a database itself. */
type DriverClient =
  | PgPool
  | PgClient
  | PostgresJs
  | MysqlPool
  | MysqlConnection
  | MysqlCallbacks
  | SqliteDatabase;

/** A Drizzle database, made with `drizzle(client)`. */
export interface DrizzleDatabase {
  readonly $client: DriverClient;
}

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
export interface SequelizeLender {
  getConnection(options: { readonly type: 'SELECT' }): Promise<object>;
  releaseConnection(connection: object): unknown;
  destroyConnection(connection: object): Promise<void>;
}

/** A MikroORM 6 or 7 instance with an SQL driver. */
export interface MikroOrmDatabase {
  readonly em: { getConnection(): object };
  isConnected(): Promise<boolean>;
}

/** Lucid's `Database` or one of its query clients. */
type LucidDatabase = LucidClient | LucidManager;

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

/** The values of the option `db`: a client of any of these libraries, as the application made it. */
export type DatabaseClient =
  | DriverClient
  | KnexDatabase
  | KyselyDatabase
  | DrizzleDatabase
  | PrismaDatabase
  | TypeormDatabase
  | SequelizeDatabase
  | MikroOrmDatabase
  | LucidDatabase;

export const isKnex = (value: unknown): value is LendingKnex =>
  hasMethods(value, 'raw', 'select') &&
  hasMethods(property(value, 'client'), 'acquireConnection', 'releaseConnection');
export const isKysely = (value: unknown): value is KyselyDatabase =>
  hasMethods(value, 'selectNoFrom', 'executeQuery', 'getExecutor', 'connection');

export const isPrisma = (value: unknown): value is PrismaDatabase =>
  hasMethods(value, '$queryRawUnsafe', '$connect');
/** The pool of pg that a driver adapter of Prisma was given. */
export function poolOfPrisma(client: unknown): PgPool | undefined {
  const pool = property(property(property(client, '_engineConfig'), 'adapter'), 'externalPool');
  return isPgPool(pool) ? pool : undefined;
}
export const isTypeorm = (value: unknown): value is TypeormDatabase =>
  hasMethods(value, 'query', 'createQueryRunner') && 'isInitialized' in value && 'driver' in value;
export const isSequelize = (value: unknown): value is SequelizeDatabase =>
  hasMethods(value, 'authenticate', 'getDialect', 'query', 'define');
export const isMikroOrm = (value: unknown): value is MikroOrmDatabase =>
  hasMethods(value, 'isConnected') && hasMethods(property(value, 'em'), 'getConnection', 'fork');
export const isLucidClient = (value: unknown): value is LucidClient =>
  hasMethods(value, 'getReadClient', 'getWriteClient');
export const isLucidDatabase = (value: unknown): value is LucidManager =>
  hasMethods(value, 'connection', 'rawQuery', 'getRawConnection') && isObject(property(value, 'manager'));

/** Lends connections of Sequelize's pool, for the dialects that have one. */
export function lenderOf(client: SequelizeDatabase): SequelizeLender | undefined {
  const lender = property(client, 'connectionManager');
  const isPooled = ['postgres', 'mysql', 'mariadb'].includes(client.getDialect());
  return isPooled && isSequelizeLender(lender) ? lender : undefined;
}

function isSequelizeLender(value: unknown): value is SequelizeLender {
  return hasMethods(value, 'getConnection', 'releaseConnection', 'destroyConnection');
}
