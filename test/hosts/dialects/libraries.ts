import { createRequire } from 'node:module';
import { AppFactory } from '@adonisjs/core/factories/app';
import { EmitterFactory } from '@adonisjs/core/factories/events';
import { LoggerFactory } from '@adonisjs/core/factories/logger';
import { Database as LucidDatabase } from '@adonisjs/lucid/database';
import { MigrationRunner } from '@adonisjs/lucid/migration';
import { EntitySchema } from '@mikro-orm/core';
import { MikroORM as SqliteMikro } from '@mikro-orm/libsql';
import { MikroORM as MariadbMikro } from '@mikro-orm/mariadb';
import { Migrator as MikroMigrator } from '@mikro-orm/migrations';
import type BetterSqlite from 'better-sqlite3';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { migrate as migrateMysql } from 'drizzle-orm/mysql2/migrator';
import knexOf from 'knex';
import { Kysely, Migrator as KyselyMigrator, MysqlDialect, SqliteDialect } from 'kysely';
import { createPool } from 'mysql2';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { SequelizeStorage, Umzug } from 'umzug';
import { migrationFiles } from '../../checks/migration-files.js';
import { connection, type Opened, type Place } from './place.js';
import { openPrisma } from './prisma.js';

/** One migration library on both dialects. */
export interface DialectLibrary {
  readonly name: keyof typeof migrationFiles;
  readonly package: string;
  /** False where its driver of SQLite takes minutes to compile. */
  readonly onSqlite?: false;
  /** Opens what the application passes to `migrations`, knowing this many migrations. */
  open(place: Place, count: number): Promise<Opened> | Opened;
}

/** Compiled while other tests run: it may not be there before the tests of SQLite begin. */
function openSqlite(file: string): BetterSqlite.Database {
  const Database: typeof BetterSqlite = createRequire(import.meta.url)('better-sqlite3');
  return new Database(file);
}

const none = async () => {};
const classes = [
  class First1700000000001 {
    name = 'First1700000000001';
    up = none;
    down = none;
  },
  class Second1700000000002 {
    name = 'Second1700000000002';
    up = none;
    down = none;
  },
];
const Thing = new EntitySchema({ name: 'Thing', properties: { id: { type: 'number', primary: true } } });

function openKysely(place: Place, count: number): Opened {
  const dialect =
    place.dialect === 'mariadb'
      ? new MysqlDialect({ pool: createPool(connection(place)) })
      : new SqliteDialect({ database: openSqlite(place.file) });
  const db = new Kysely<Record<string, never>>({ dialect });
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(migrationFiles.Kysely.names.slice(0, count).map((name) => [name, { up: none }])),
  };
  const props = { db, provider };
  const migrator = new KyselyMigrator(props);
  const apply = async () => {
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  };
  return { source: props, apply, close: () => db.destroy() };
}

function openKnex(place: Place): Opened {
  const knex = knexOf({
    ...(place.dialect === 'mariadb'
      ? { client: 'mysql2', connection: connection(place) }
      : { client: 'better-sqlite3', connection: { filename: place.file }, useNullAsDefault: true }),
    pool: { min: 0, max: 1 },
    migrations: { directory: place.folder, loadExtensions: ['.cjs'] },
    log: { warn() {} },
  });
  return { source: knex, apply: () => knex.migrate.latest(), close: () => knex.destroy() };
}

async function openDrizzle(place: Place): Promise<Opened> {
  const settings = { migrationsFolder: place.folder };
  if (place.dialect === 'mariadb') {
    const pool = createPool(connection(place));
    const db = drizzleMysql(pool);
    return {
      source: { db, ...settings },
      apply: () => migrateMysql(db, settings),
      close: () => pool.promise().end(),
    };
  }
  const { drizzle } = await import('drizzle-orm/better-sqlite3');
  const { migrate } = await import('drizzle-orm/better-sqlite3/migrator');
  const client = openSqlite(place.file);
  const db = drizzle(client);
  return {
    source: { db, ...settings },
    apply: async () => migrate(db, settings),
    close: () => client.close(),
  };
}

async function openTypeorm(place: Place, count: number): Promise<Opened> {
  const migrations = classes.slice(0, count);
  const source = new DataSource(
    place.dialect === 'mariadb'
      ? { type: 'mariadb', ...connection(place), username: place.user, migrations }
      : { type: 'better-sqlite3', database: place.file, migrations },
  );
  await source.initialize();
  return { source, apply: () => source.runMigrations(), close: () => source.destroy() };
}

function openUmzug(place: Place, count: number): Opened {
  const sequelize = new Sequelize({
    dialect: 'mysql',
    ...connection(place),
    username: place.user,
    logging: false,
  });
  const umzug = new Umzug({
    migrations: migrationFiles['Sequelize with Umzug'].names
      .slice(0, count)
      .map((name) => ({ name, up: none })),
    context: sequelize.getQueryInterface(),
    storage: new SequelizeStorage({ sequelize }),
    logger: undefined,
  });
  return { source: umzug, apply: () => umzug.up(), close: () => sequelize.close() };
}

function openMikro(place: Place, count: number): Opened {
  const common = {
    entities: [Thing],
    extensions: [MikroMigrator],
    logger: () => {},
    migrations: { path: place.folder, glob: count === 1 ? '*1.js' : '*.js', snapshot: false, silent: true },
  };
  const orm =
    place.dialect === 'mariadb'
      ? MariadbMikro.initSync({ ...common, ...connection(place), dbName: place.database })
      : SqliteMikro.initSync({ ...common, dbName: place.file });
  return { source: orm, apply: () => orm.migrator.up(), close: () => orm.close(true) };
}

async function openLucid(place: Place): Promise<Opened> {
  const app = new AppFactory().create(new URL(`file://${place.folder}/`), (path) => import(path));
  await app.init();
  const migrations = { paths: ['db'] };
  const db = new LucidDatabase(
    {
      connection: 'main',
      connections: {
        main:
          place.dialect === 'mariadb'
            ? { client: 'mysql2', connection: { ...connection(place), password: '' }, migrations }
            : {
                client: 'better-sqlite3',
                connection: { filename: place.file },
                useNullAsDefault: true,
                migrations,
              },
      },
    },
    new LoggerFactory().merge({ enabled: false }).create(),
    new EmitterFactory().create(app),
  );
  const runner = new MigrationRunner(db, app, { direction: 'up' });
  const apply = async () => {
    await runner.run();
    if (runner.error !== null) throw runner.error;
  };
  return { source: runner, apply, close: () => db.manager.closeAll() };
}

export const dialectLibraries: readonly DialectLibrary[] = [
  { name: 'Knex', package: 'knex', open: openKnex },
  { name: 'Kysely', package: 'kysely', open: openKysely },
  { name: 'Drizzle', package: 'drizzle-orm', open: openDrizzle },
  {
    name: 'Prisma',
    package: '@prisma/client',
    open: (place, count) => openPrisma(place, migrationFiles.Prisma.names.slice(0, count)),
  },
  { name: 'TypeORM', package: 'typeorm', open: openTypeorm },
  { name: 'Sequelize with Umzug', package: 'umzug', onSqlite: false, open: openUmzug },
  { name: 'MikroORM', package: '@mikro-orm/migrations', open: openMikro },
  { name: 'Lucid', package: '@adonisjs/lucid', open: openLucid },
];
