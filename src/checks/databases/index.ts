import { adopt, hasMethods, isObject, property } from '../client.js';
import { clientUnsupported } from '../../core/options/errors.js';
import type { Database } from './database.js';
import {
  type MysqlCallbacks,
  mysqlCallbacks,
  type MysqlConnection,
  mysqlConnection,
  type MysqlPool,
  mysqlPool,
} from './mysql.js';
import {
  type LucidDatabase,
  lucid,
  mikroOrm,
  type MikroOrmDatabase,
  prisma,
  type PrismaDatabase,
  sequelize,
  type SequelizeDatabase,
  typeorm,
  type TypeormDatabase,
} from './orms.js';
import { postgresJs, type PostgresJs } from './postgres-js.js';
import { pgClient, type PgClient, pgPool, type PgPool } from './postgresql.js';
import {
  type DrizzleDatabase,
  drizzle,
  knex,
  type KnexDatabase,
  kysely,
  type KyselyDatabase,
} from './query-builders.js';
import { libsqlClient, type LibsqlClient, sqlite, type SqliteDatabase } from './sqlite.js';

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

// Libraries that stand on others come first: some of them show the methods of what they wrap.
const wrappers = [drizzle, knex, kysely, prisma, typeorm, sequelize, mikroOrm, lucid];
const drivers = [
  pgPool,
  pgClient,
  postgresJs,
  mysqlCallbacks,
  mysqlPool,
  mysqlConnection,
  sqlite,
  libsqlClient,
];
const families = [...wrappers, ...drivers];

export const databaseNames: readonly string[] = families.flatMap(({ names }) => names);

export function isDatabase(value: unknown): value is DatabaseClient {
  return adopt(families, value) !== undefined;
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
    property(property(property(client, '_engineConfig'), 'adapter'), 'externalPool') ??
    (hasMethods(client, 'getConnection', 'end') ? property(client, 'pool') : undefined);
  return isObject(below) ? poolBelow(below) : client;
}

/** The one way to ask a client, whichever it is. */
export function databaseOf(client: unknown, option = 'db'): Database {
  const database = adopt(families, client);
  if (database === undefined) throw clientUnsupported(option, client, databaseNames);
  return database;
}
