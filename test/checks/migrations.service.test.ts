import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppFactory } from '@adonisjs/core/factories/app';
import { MigrationRunner } from '@adonisjs/lucid/migration';
import { Migrator as MikroMigrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as migrateDrizzle } from 'drizzle-orm/node-postgres/migrator';
import knexOf from 'knex';
import { Kysely, Migrator as KyselyMigrator, PostgresDialect } from 'kysely';
import { runner as runNodePgMigrate } from 'node-pg-migrate';
import { Client, Pool } from 'pg';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { SequelizeStorage, Umzug } from 'umzug';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MigrationSource } from 'lifesign/checks';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { versionOf } from './clients/client.js';
import { generatePrisma7 } from '../hosts/prisma.js';
import { lucidOf, Thing } from './clients/postgres-orms.js';
import { heartbeats } from './heartbeats.js';
import { chosen } from '../whole.js';
import { expectPassed, type Row } from './matrix.js';
import { migrationFiles } from './migration-files.js';

/** Where one library finds its database and its files. */
interface Place {
  readonly folder: string;
  readonly database: string;
  readonly port: number;
  readonly user: string;
}

interface Opened {
  readonly source: MigrationSource;
  readonly close: () => unknown;
}

/** One migration library: two migrations, named as the library names them. */
interface ExercisedMigrations {
  readonly name: string;
  readonly package: string;
  readonly names: readonly [string, string];
  /** Writes the migration files of this many migrations. */
  write(folder: string, count: number): Promise<void>;
  /** Opens what the application passes to `migrations`, knowing this many migrations. */
  open(place: Place, count: number): Promise<Opened>;
  /** Applies all that is known, as the library itself does it. */
  apply(place: Place, count: number): Promise<void>;
}

/** How a library is opened, and what is done with it. */
interface Library<Handle> {
  readonly package: string;
  at(place: Place, count: number): Promise<Handle> | Handle;
  source(handle: Handle, place: Place): MigrationSource;
  apply(handle: Handle, place: Place, names: readonly string[]): Promise<unknown>;
  close(handle: Handle): unknown;
}

function library<Handle>(
  name: keyof typeof migrationFiles,
  { at, source, apply, close, ...more }: Library<Handle>,
): ExercisedMigrations {
  const files = migrationFiles[name];
  return {
    name,
    ...files,
    ...more,
    async open(place, count) {
      const handle = await at(place, count);
      return { source: source(handle, place), close: () => close(handle) };
    },
    async apply(place, count) {
      const handle = await at(place, count);
      await apply(handle, place, files.names.slice(0, count));
      await close(handle);
    },
  };
}

const connection = ({ port, database, user }: Place) => ({ host: '127.0.0.1', port, database, user });
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

async function using<T>(opened: Opened, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    await opened.close();
  }
}

const knexAt = (place: Place) =>
  knexOf({
    client: 'pg',
    connection: connection(place),
    pool: { min: 0 },
    migrations: { directory: place.folder, loadExtensions: ['.cjs'] },
  });

const kyselyProps = (place: Place, count: number) => ({
  db: new Kysely<Record<string, never>>({
    dialect: new PostgresDialect({ pool: new Pool(connection(place)) }),
  }),
  provider: {
    getMigrations: async () =>
      Object.fromEntries(['01_first', '02_second'].slice(0, count).map((name) => [name, { up: none }])),
  },
});

const dataSourceAt = async (place: Place, count: number) => {
  const source = new DataSource({
    type: 'postgres',
    ...connection(place),
    username: place.user,
    migrations: classes.slice(0, count),
  });
  return source.initialize();
};

const umzugAt = (place: Place, count: number) => {
  const sequelize = new Sequelize({
    dialect: 'postgres',
    ...connection(place),
    username: place.user,
    logging: false,
  });
  const umzug = new Umzug({
    migrations: ['first', 'second'].slice(0, count).map((name) => ({ name, up: none })),
    context: sequelize.getQueryInterface(),
    storage: new SequelizeStorage({ sequelize }),
    logger: undefined,
  });
  return { umzug, sequelize };
};

const mikroAt = (place: Place, count: number) =>
  MikroORM.initSync({
    host: '127.0.0.1',
    port: place.port,
    user: place.user,
    dbName: place.database,
    entities: [Thing],
    extensions: [MikroMigrator],
    logger: () => {},
    migrations: { path: place.folder, glob: count === 1 ? '*1.js' : '*.js', snapshot: false, silent: true },
  });

const lucidAt = async (place: Place) => {
  const app = new AppFactory().create(new URL(`file://${place.folder}/`), (path) => import(path));
  await app.init();
  const db = lucidOf({ ...connection(place), password: '' }, 'db');
  return { db, runner: new MigrationRunner(db, app, { direction: 'up' }) };
};

const pgMigrateAt = (place: Place) => ({ dir: place.folder, migrationsTable: 'pgmigrations' });

const poolAt = (place: Place) => new Pool(connection(place));
const drizzleOf = (pool: Pool, { folder }: Place) => ({ db: drizzle(pool), migrationsFolder: folder });

// The migration engine of Prisma would have to be downloaded: the table is made as that engine makes it.
const prismaTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

const libraries: readonly ExercisedMigrations[] = [
  library('Knex', {
    package: 'knex',
    at: knexAt,
    source: (knex) => knex,
    apply: (knex) => knex.migrate.latest(),
    close: (knex) => knex.destroy(),
  }),
  library('Kysely', {
    package: 'kysely',
    at: kyselyProps,
    source: (props) => props,
    apply: (props) => new KyselyMigrator(props).migrateToLatest(),
    close: ({ db }) => db.destroy(),
  }),
  library('Drizzle', {
    package: 'drizzle-orm',
    at: poolAt,
    source: drizzleOf,
    apply: (pool, place) => migrateDrizzle(drizzle(pool), drizzleOf(pool, place)),
    close: (pool) => pool.end(),
  }),
  library('Prisma', {
    package: '@prisma/client',
    at: (place) => new (generatePrisma7('postgresql'))({ adapter: new PrismaPg(connection(place)) }),
    source: (db, { folder }) => ({ db, migrationsFolder: folder }),
    async apply(db, _place, names) {
      await db.$executeRawUnsafe(prismaTable);
      for (const name of names) {
        await db.$executeRawUnsafe(
          `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('${name}', '', '${name}', now()) ON CONFLICT DO NOTHING`,
        );
      }
    },
    close: (db) => db.$disconnect(),
  }),
  library('TypeORM', {
    package: 'typeorm',
    at: dataSourceAt,
    source: (source) => source,
    apply: (source) => source.runMigrations(),
    close: (source) => source.destroy(),
  }),
  library('Sequelize with Umzug', {
    package: 'umzug',
    at: umzugAt,
    source: ({ umzug }) => umzug,
    apply: ({ umzug }) => umzug.up(),
    close: ({ sequelize }) => sequelize.close(),
  }),
  library('MikroORM', {
    package: '@mikro-orm/migrations',
    at: mikroAt,
    source: (orm) => orm,
    apply: (orm) => orm.migrator.up(),
    close: (orm) => orm.close(true),
  }),
  library('Lucid', {
    package: '@adonisjs/lucid',
    at: lucidAt,
    source: ({ runner }) => runner,
    async apply({ runner }) {
      await runner.run();
      if (runner.error !== null) throw runner.error;
    },
    close: ({ db }) => db.manager.closeAll(),
  }),
  library('node-pg-migrate', {
    package: 'node-pg-migrate',
    at: poolAt,
    source: (dbClient, place) => ({ ...pgMigrateAt(place), dbClient }),
    async apply(pool, place) {
      const dbClient = await pool.connect();
      await runNodePgMigrate({ ...pgMigrateAt(place), dbClient, direction: 'up', log: () => {} });
      dbClient.release();
    },
    close: (pool) => pool.end(),
  }),
];

const messages = (found: object) => ({
  check_migrations_applied: expect.objectContaining({ messages: found }),
});

describe.skipIf(!canStart('postgres'))('migrations on PostgreSQL', () => {
  let server: RunningService;
  let folder: string;
  const seen: Row[] = [];
  beforeAll(async () => {
    server = await startService('postgres');
    folder = await mkdtemp(join(tmpdir(), 'lifesign-migrations-'));
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function admin(database: string, ...statements: readonly string[]): Promise<readonly unknown[]> {
    const client = new Client({ host: '127.0.0.1', port: server.port, user: 'lifesign', database });
    await client.connect();
    let rows: readonly unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    await client.end();
    return rows;
  }

  /** Everything a write would change: relations, their columns, their rows so far. */
  const catalog = (database: string) =>
    admin(
      database,
      `SELECT n.nspname, c.relname, c.relkind, s.n_tup_ins, s.n_tup_upd, s.n_tup_del FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
       WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1, 2`,
    );

  const taken = chosen(libraries, 'Knex', 'Drizzle', 'Prisma', 'TypeORM');
  for (const [index, library] of taken.entries()) {
    it(`${library.name} ${versionOf(library.package)}`, async () => {
      const database = `base_${index}`;
      await admin('postgres', `CREATE DATABASE ${database}`);
      const files = join(folder, String(index));
      await mkdir(files);
      const place: Place = { folder: files, database, port: server.port, user: 'lifesign' };
      const beat = async (count: number) => {
        const opened = await library.open(place, count);
        return using(
          opened,
          async () => (await heartbeats({ migrations: opened.source, timeout: 20_000 }).beat()).details,
        );
      };
      const [first, second] = library.names;
      const before = await catalog(database);

      await library.write(files, 1);
      expect(await beat(1)).toEqual(messages({ 'health.W001': `Unapplied migrations found: ${first}` }));
      // No bookkeeping table was made, no lock table, no schema.
      expect(await catalog(database)).toEqual(before);

      await library.apply(place, 1);
      expect(await beat(1)).toEqual({});
      await library.write(files, 2);
      // Nothing more is allowed to write here.
      await admin('postgres', `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      const applied = await catalog(database);
      expect(await beat(2)).toEqual(messages({ 'health.W001': `Unapplied migrations found: ${second}` }));
      expect(await catalog(database)).toEqual(applied);
      await admin('postgres', `ALTER DATABASE ${database} RESET default_transaction_read_only`);

      await library.apply(place, 2);
      expect(await beat(2)).toEqual({});
      await rm(files, { recursive: true });
      await mkdir(files);
      await library.write(files, 1);
      const older = await beat(1);
      if (library.name === 'Drizzle') {
        expect(JSON.stringify(older)).toContain('unknown to this build: one of 2023-11-14T22:13:20.001Z');
      } else {
        expect(older).toEqual(
          messages({ 'health.I003': `Applied migrations unknown to this build: ${second}` }),
        );
      }

      const opened = await library.open(place, 1);
      await using(opened, async () => {
        const { until } = heartbeats({ migrations: opened.source, timeout: 20_000 });
        await admin('postgres', `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
        await admin(
          'postgres',
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
        );
        await until(['health.I001']);
        await admin('postgres', `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);
        await until(['health.I003']);
      });
      seen.push({ client: library.name, version: versionOf(library.package) });
    });
  }

  it('contributing/clients.md lists exactly these libraries, and those that were taken passed', () =>
    expectPassed('Libraries', libraries, taken, seen));
});
