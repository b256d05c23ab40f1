import { clientUnsupported } from '../../core/options/errors.js';
import {
  always,
  hasMethods,
  isObject,
  property,
  recognise,
  type Recognised,
  shape,
  type Shape,
} from '../client.js';
import type { Database } from './database.js';
import {
  isLibsql,
  isMysqlCallbacks,
  isMysqlConnection,
  isMysqlPool,
  isPgClient,
  isPgPool,
  isPostgresJs,
  isSqlite,
  type LibsqlClient,
  type MysqlCallbacks,
  type MysqlConnection,
  type MysqlPool,
  type PgClient,
  type PgPool,
  type PostgresJs,
  type SqliteDatabase,
} from './driver-shapes.js';
import {
  type DatabaseClient,
  isKnex,
  isKysely,
  isLucidClient,
  isLucidDatabase,
  isMikroOrm,
  isPrisma,
  isSequelize,
  isTypeorm,
  type KyselyDatabase,
  lenderOf,
  type LendingKnex,
  type LucidClient,
  type LucidManager,
  type MikroOrmDatabase,
  poolOfPrisma,
  type PrismaDatabase,
  type SequelizeDatabase,
  type TypeormDatabase,
} from './wrapper-shapes.js';

/** One function for each kind of client that speaks to a database itself. */
export interface DriverAdapters {
  readonly pgPool: (pool: PgPool) => Database;
  readonly pgClient: (client: PgClient) => Database;
  readonly postgresJs: (client: PostgresJs) => Database;
  readonly mysqlCallbacks: (client: MysqlCallbacks) => Database;
  readonly mysqlPool: (pool: MysqlPool) => Database;
  readonly mysqlConnection: (connection: MysqlConnection) => Database;
  readonly sqlite: (database: SqliteDatabase) => Database;
  readonly libsqlClient: (client: LibsqlClient) => Database;
}

/** One function for each kind of client. */
export interface DatabaseAdapters extends DriverAdapters {
  readonly knex: (database: LendingKnex) => Database;
  readonly kysely: (database: KyselyDatabase) => Database;
  readonly prisma: (client: PrismaDatabase) => Database;
  readonly typeorm: (source: TypeormDatabase) => Database;
  readonly sequelize: (client: SequelizeDatabase) => Database;
  readonly mikroOrm: (orm: MikroOrmDatabase) => Database;
  readonly lucidClient: (client: LucidClient) => Database;
  readonly lucidManager: (manager: LucidManager) => Database;
}

export type RecognisedDriver = Recognised<DriverAdapters, Database>;
export type RecognisedDatabase = Recognised<DatabaseAdapters, Database>;

const postgresql: readonly Shape<RecognisedDriver>[] = [
  shape(['pg Pool'], isPgPool, (to) => to.pgPool, always),
  shape(['pg Client'], isPgClient, (to) => to.pgClient),
];
const drivers: readonly Shape<RecognisedDriver>[] = [
  ...postgresql,
  shape(['postgres'], isPostgresJs, (to) => to.postgresJs),
  shape(
    ['mysql2'],
    isMysqlCallbacks,
    (to) => to.mysqlCallbacks,
    (client) => hasMethods(client, 'getConnection'),
  ),
  shape(['mysql2/promise', 'mariadb'], isMysqlPool, (to) => to.mysqlPool, always),
  shape([], isMysqlConnection, (to) => to.mysqlConnection),
  shape(['better-sqlite3', 'libsql', 'node:sqlite'], isSqlite, (to) => to.sqlite),
  shape(['@libsql/client'], isLibsql, (to) => to.libsqlClient),
];

/** A client that speaks to a database itself: what query builders and ORMs stand on. */
export const recogniseDriver = (value: unknown): RecognisedDriver | undefined => recognise(drivers, value);

export const recognisePg = (value: unknown): RecognisedDriver | undefined => recognise(postgresql, value);

/** Drizzle asks the client it was made with: so do we, and can take a connection back. */
export const recogniseDrizzle = (value: unknown): RecognisedDriver | undefined =>
  recogniseDriver(property(value, '$client'));

const prisma: readonly Shape<RecognisedDatabase>[] = [
  shape(
    ['Prisma'],
    isPrisma,
    (to) => to.prisma,
    (client) => poolOfPrisma(client) !== undefined,
  ),
];

export const recognisePrisma = (value: unknown): RecognisedDatabase | undefined => recognise(prisma, value);

// Libraries that stand on others come first: some of them show the methods of what they wrap.
const shapes: readonly Shape<RecognisedDatabase>[] = [
  { names: ['Drizzle'], recognise: recogniseDrizzle },
  shape(['Knex'], isKnex, (to) => to.knex, always),
  shape(['Kysely'], isKysely, (to) => to.kysely),
  ...prisma,
  shape(['TypeORM DataSource'], isTypeorm, (to) => to.typeorm, always),
  shape(
    ['Sequelize'],
    isSequelize,
    (to) => to.sequelize,
    (client) => lenderOf(client) !== undefined,
  ),
  shape(['MikroORM'], isMikroOrm, (to) => to.mikroOrm, always),
  shape(['Lucid'], isLucidClient, (to) => to.lucidClient, always),
  shape([], isLucidDatabase, (to) => to.lucidManager, always),
  ...drivers,
];

export const databaseNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseDatabase = (value: unknown): RecognisedDatabase | undefined => recognise(shapes, value);

export function isDatabase(value: unknown): value is DatabaseClient {
  return recogniseDatabase(value) !== undefined;
}

/** Refuses what is no client, at once. */
export function requireDatabase(client: unknown): RecognisedDatabase {
  const recognised = recogniseDatabase(client);
  if (recognised === undefined) throw clientUnsupported('db', client, databaseNames);
  return recognised;
}

/**
 * The pool that a client stands on, where it shows it, or the client itself: two clients over one pool are one
 * database. Kysely does not show its pool.
 */
export function poolBelow(client: unknown): unknown {
  const driver = property(client, 'driver');
  const below =
    property(client, '$client') ??
    (property(client, 'isInitialized') === undefined
      ? undefined
      : (property(driver, 'master') ?? property(driver, 'pool'))) ??
    poolOfPrisma(client) ??
    (hasMethods(client, 'getConnection', 'end') ? property(client, 'pool') : undefined);
  return isObject(below) ? poolBelow(below) : client;
}
