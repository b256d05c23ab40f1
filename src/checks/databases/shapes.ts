import { clientUnsupported } from '../../core/options/errors.js';
import { hasMethods, isObject, property, type Shape } from '../client.js';
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
  isDrizzle,
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
  type LucidDatabase,
  type MikroOrmDatabase,
  poolOfPrisma,
  type PrismaDatabase,
  type SequelizeDatabase,
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

interface DatabaseShape extends Shape {
  /** Whether a client has a pool that tells about itself; none does where this is left out. */
  readonly tells?: (client: unknown) => boolean;
}

const always = () => true;

// In the order of the families in index.ts.
const drivers: readonly DatabaseShape[] = [
  { names: ['pg Pool'], is: isPgPool, tells: always },
  { names: ['pg Client'], is: isPgClient },
  { names: ['postgres'], is: isPostgresJs },
  {
    names: ['mysql2'],
    is: isMysqlCallbacks,
    tells: (client) => isMysqlCallbacks(client) && isMysqlPool(client.promise()),
  },
  { names: ['mysql2/promise', 'mariadb'], is: isMysqlPool, tells: always },
  { names: [], is: isMysqlConnection },
  { names: ['better-sqlite3', 'libsql', 'node:sqlite'], is: isSqlite },
  { names: ['@libsql/client'], is: isLibsql },
];
const shapes: readonly DatabaseShape[] = [
  { names: ['Drizzle'], is: isDrizzle, tells: (client) => tells(drivers, property(client, '$client')) },
  { names: ['Knex'], is: isKnex, tells: always },
  { names: ['Kysely'], is: isKysely },
  { names: ['Prisma'], is: isPrisma, tells: (client) => isPgPool(poolOfPrisma(client)) },
  { names: ['TypeORM DataSource'], is: isTypeorm, tells: always },
  {
    names: ['Sequelize'],
    is: isSequelize,
    tells: (client) => isSequelize(client) && lenderOf(client) !== undefined,
  },
  { names: ['MikroORM'], is: isMikroOrm, tells: always },
  { names: ['Lucid'], is: (value) => isLucidClient(value) || isLucidDatabase(value), tells: always },
  ...drivers,
];

export const databaseNames: readonly string[] = shapes.flatMap(({ names }) => names);

export function isDatabase(value: unknown): value is DatabaseClient {
  return shapes.some(({ is }) => is(value));
}

/** Refuses what is no client, at once. */
export function requireDatabase(client: unknown, option = 'db'): void {
  if (!isDatabase(client)) throw clientUnsupported(option, client, databaseNames);
}

/** Whether a client has a pool that tells how many connections are in use. */
export function tellsUsage(client: unknown): boolean {
  return tells(shapes, client);
}

function tells(among: readonly DatabaseShape[], client: unknown): boolean {
  return among.find(({ is }) => is(client))?.tells?.(client) === true;
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
