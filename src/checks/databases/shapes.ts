import { clientUnsupported } from '../errors.js';
import { hasMethods, isObject, property, type SelfHealing } from '../client.js';
import { recognise, type Recognised, type Shape, shapesOf, showsNoUsage, showsUsage } from '../recognise.js';
import {
  isMysqlCallbacks,
  isMysqlConnection,
  isMysqlPool,
  isPgClient,
  isPgPool,
  isPostgresJs,
  isSqlite,
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

/** Clients that speak to a database themselves, by their kind. */
export interface DriverClients {
  readonly pgPool: PgPool;
  readonly pgClient: PgClient;
  readonly postgresJs: PostgresJs;
  readonly mysqlCallbacks: MysqlCallbacks;
  readonly mysqlPool: MysqlPool;
  readonly mysqlConnection: MysqlConnection;
  readonly sqlite: SqliteDatabase;
}

/** All clients, by their kind. */
export interface DatabaseClients extends DriverClients {
  readonly knex: LendingKnex;
  readonly kysely: KyselyDatabase;
  readonly prisma: PrismaDatabase;
  readonly typeorm: TypeormDatabase;
  readonly sequelize: SequelizeDatabase;
  readonly mikroOrm: MikroOrmDatabase;
  readonly lucidClient: LucidClient;
  readonly lucidManager: LucidManager;
}

export type RecognisedDriver = Recognised<DriverClients>;
export type RecognisedDatabase = Recognised<DatabaseClients>;

type Postgresql = Pick<DriverClients, 'pgPool' | 'pgClient'>;

const postgresql = shapesOf<Postgresql>({
  pgPool: [['pg Pool'], isPgPool, showsUsage],
  pgClient: [['pg Client'], isPgClient, showsNoUsage],
});
const drivers: readonly Shape<RecognisedDriver>[] = [
  ...postgresql,
  ...shapesOf<Omit<DriverClients, keyof Postgresql>>({
    postgresJs: [['postgres'], isPostgresJs, showsNoUsage],
    mysqlCallbacks: [
      ['mysql2'],
      isMysqlCallbacks,
      (client) => ({ showsUsage: hasMethods(client, 'getConnection') }),
    ],
    mysqlPool: [['mysql2/promise', 'mariadb'], isMysqlPool, showsUsage],
    mysqlConnection: [[], isMysqlConnection, showsNoUsage],
    sqlite: [['better-sqlite3', 'node:sqlite'], isSqlite, showsNoUsage],
  }),
];

/** A client that speaks to a database itself, as query builders and ORMs use. */
export const recogniseDriver = (value: unknown): RecognisedDriver | undefined => recognise(drivers, value);

export const recognisePg = (value: unknown): RecognisedDriver | undefined => recognise(postgresql, value);

/** Drizzle asks the client it was made with: so do we, and can take a connection back. */
export const recogniseDrizzle = (value: unknown): RecognisedDriver | undefined =>
  recogniseDriver(property(value, '$client'));

const prisma = shapesOf<Pick<DatabaseClients, 'prisma'>>({
  prisma: [['Prisma'], isPrisma, (client) => ({ showsUsage: poolOfPrisma(client) !== undefined })],
});

export const recognisePrisma = (value: unknown): RecognisedDatabase | undefined => recognise(prisma, value);

// Libraries that wrap others come first: some of them expose the methods of the wrapped client.
const shapes: readonly Shape<RecognisedDatabase>[] = [
  { names: ['Drizzle'], recognise: recogniseDrizzle },
  ...prisma,
  ...shapesOf<Omit<DatabaseClients, keyof DriverClients | 'prisma'>>({
    knex: [['Knex'], isKnex, showsUsage],
    kysely: [['Kysely'], isKysely, showsNoUsage],
    typeorm: [['TypeORM DataSource'], isTypeorm, showsUsage],
    sequelize: [['Sequelize'], isSequelize, (client) => ({ showsUsage: lenderOf(client) !== undefined })],
    mikroOrm: [['MikroORM'], isMikroOrm, showsUsage],
    lucidClient: [['Lucid'], isLucidClient, showsUsage],
    lucidManager: [[], isLucidDatabase, showsUsage],
  }),
  ...drivers,
];

export const databaseNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseDatabase = (value: unknown): RecognisedDatabase | undefined => recognise(shapes, value);

export function isDatabase(value: unknown): value is DatabaseClient {
  return recogniseDatabase(value) !== undefined;
}

/** Rejects a value that is not a client, at once. */
export function requireDatabase(client: unknown): RecognisedDatabase {
  const recognised = recogniseDatabase(client);
  if (recognised === undefined) throw clientUnsupported('db', client, databaseNames);
  return recognised;
}

/**
 * The pool that a client uses, if it shows it, or the client itself: two clients over one pool are one
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

export function pgPoolBelow(client: unknown): SelfHealing | undefined {
  const pool = poolBelow(client);
  return isPgPool(pool) ? { client: pool, name: 'pg pool', variable: 'pool' } : undefined;
}
