import { clientUnsupported } from '../../core/options/errors.js';
import { hasMethods, isObject, property, recognise, shape, type Shape } from '../client.js';
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
  type DrizzleDatabase,
  isKnex,
  isKysely,
  isLucidClient,
  isLucidDatabase,
  isMikroOrm,
  isPrisma,
  isSequelize,
  isTypeorm,
  type KnexDatabase,
  type KyselyDatabase,
  lenderOf,
  type LendingKnex,
  type LucidClient,
  type LucidDatabase,
  type LucidManager,
  type MikroOrmDatabase,
  poolOfPrisma,
  type PrismaDatabase,
  type SequelizeDatabase,
  type SequelizeLender,
  type TypeormDatabase,
} from './wrapper-shapes.js';

/** What option `db` takes: a client of any of these libraries, as the application made it. */
export type DatabaseClient =
  | PgPool
  | PgClient
  | PostgresJs
  | MysqlPool
  | MysqlConnection
  | MysqlCallbacks
  | SqliteDatabase
  | LibsqlClient
  | KnexDatabase
  | KyselyDatabase
  | DrizzleDatabase
  | PrismaDatabase
  | TypeormDatabase
  | SequelizeDatabase
  | MikroOrmDatabase
  | LucidDatabase;

/** One function for each kind of client that speaks to a database itself. */
export interface DriverAdapters {
  pgPool(pool: PgPool): Database;
  pgClient(client: PgClient): Database;
  postgresJs(client: PostgresJs): Database;
  mysqlPool(pool: MysqlPool): Database;
  mysqlConnection(connection: MysqlConnection): Database;
  sqlite(database: SqliteDatabase): Database;
  libsqlClient(client: LibsqlClient): Database;
}

/** One function for each kind of client. */
export interface DatabaseAdapters extends DriverAdapters {
  knex(database: LendingKnex): Database;
  kysely(database: KyselyDatabase): Database;
  prisma(client: PrismaDatabase, pool: PgPool | undefined): Database;
  typeorm(source: TypeormDatabase): Database;
  sequelize(client: SequelizeDatabase, lender: SequelizeLender | undefined): Database;
  mikroOrm(orm: MikroOrmDatabase): Database;
  lucidClient(client: LucidClient): Database;
  lucidManager(manager: LucidManager): Database;
}

/** A client that was recognised: it goes to its adapter when the code of that is there. */
interface Recognised<Adapters> {
  adopt(adapters: Adapters): Database;
  /** Whether it has a pool that shows how many connections are in use. */
  readonly showsUsage: boolean;
}

type RecognisedDriver = Recognised<DriverAdapters>;
export type RecognisedDatabase = Recognised<DatabaseAdapters>;

const postgresql: readonly Shape<RecognisedDriver>[] = [
  shape(['pg Pool'], isPgPool, (pool) => ({ showsUsage: true, adopt: (to) => to.pgPool(pool) })),
  shape(['pg Client'], isPgClient, (client) => ({ showsUsage: false, adopt: (to) => to.pgClient(client) })),
];
const drivers: readonly Shape<RecognisedDriver>[] = [
  ...postgresql,
  shape(['postgres'], isPostgresJs, (client) => ({
    showsUsage: false,
    adopt: (to) => to.postgresJs(client),
  })),
  shape(['mysql2'], isMysqlCallbacks, (client) => ({
    showsUsage: hasMethods(client, 'getConnection'),
    adopt(to) {
      const inner = client.promise();
      return isMysqlPool(inner) ? to.mysqlPool(inner) : to.mysqlConnection(inner);
    },
  })),
  shape(['mysql2/promise', 'mariadb'], isMysqlPool, (pool) => ({
    showsUsage: true,
    adopt: (to) => to.mysqlPool(pool),
  })),
  shape([], isMysqlConnection, (connection) => ({
    showsUsage: false,
    adopt: (to) => to.mysqlConnection(connection),
  })),
  shape(['better-sqlite3', 'libsql', 'node:sqlite'], isSqlite, (database) => ({
    showsUsage: false,
    adopt: (to) => to.sqlite(database),
  })),
  shape(['@libsql/client'], isLibsql, (client) => ({
    showsUsage: false,
    adopt: (to) => to.libsqlClient(client),
  })),
];

/** A client that speaks to a database itself: what query builders and ORMs stand on. */
export const recogniseDriver = (value: unknown): RecognisedDriver | undefined => recognise(drivers, value);

export const recognisePg = (value: unknown): RecognisedDriver | undefined => recognise(postgresql, value);

/** Drizzle asks the client it was made with: so do we, and can take a connection back. */
export const recogniseDrizzle = (value: unknown): RecognisedDriver | undefined =>
  recogniseDriver(property(value, '$client'));

const prisma: Shape<RecognisedDatabase> = shape(['Prisma'], isPrisma, (client) => {
  const given = poolOfPrisma(client);
  const pool = isPgPool(given) ? given : undefined;
  return { showsUsage: pool !== undefined, adopt: (to) => to.prisma(client, pool) };
});

export const recognisePrisma = (value: unknown): RecognisedDatabase | undefined => recognise([prisma], value);

// Libraries that stand on others come first: some of them show the methods of what they wrap.
const shapes: readonly Shape<RecognisedDatabase>[] = [
  { names: ['Drizzle'], recognise: recogniseDrizzle },
  shape(['Knex'], isKnex, (database) => ({ showsUsage: true, adopt: (to) => to.knex(database) })),
  shape(['Kysely'], isKysely, (database) => ({ showsUsage: false, adopt: (to) => to.kysely(database) })),
  prisma,
  shape(['TypeORM DataSource'], isTypeorm, (source) => ({
    showsUsage: true,
    adopt: (to) => to.typeorm(source),
  })),
  shape(['Sequelize'], isSequelize, (client) => {
    const lender = lenderOf(client);
    return { showsUsage: lender !== undefined, adopt: (to) => to.sequelize(client, lender) };
  }),
  shape(['MikroORM'], isMikroOrm, (orm) => ({ showsUsage: true, adopt: (to) => to.mikroOrm(orm) })),
  shape(['Lucid'], isLucidClient, (client) => ({ showsUsage: true, adopt: (to) => to.lucidClient(client) })),
  shape([], isLucidDatabase, (manager) => ({ showsUsage: true, adopt: (to) => to.lucidManager(manager) })),
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
