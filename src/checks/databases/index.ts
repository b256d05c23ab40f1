import { adopt } from '../client.js';
import { clientUnsupported } from '../../core/errors.js';
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

/** The one way to ask a client, whichever it is. */
export function databaseOf(client: unknown, option = 'db'): Database {
  const database = adopt(families, client);
  if (database === undefined) throw clientUnsupported(option, client, databaseNames);
  return database;
}
