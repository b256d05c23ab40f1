import { call, hasMethods, isObject, OwnError, property, textOf } from '../client.js';
import type { Database } from '../databases/database.js';
import { databases } from '../databases/index.js';
import {
  isMikroOrm,
  isTypeorm,
  type MikroOrmDatabase,
  mikroOrm as mikroOrmDatabase,
  overBuilderOf,
  prismaKind,
  type TypeormDatabase,
  typeorm as typeormDatabase,
} from '../databases/orms.js';
import { kind, recognise } from '../recognise.js';
import type { Starter } from '../flight.js';
import { type Migrations, readApplied, readFolder, settingsKind } from './source.js';

/** An `Umzug` instance, with any storage that does not write when it is read. */
export interface UmzugMigrations {
  migrations(context: never): Promise<readonly { readonly name: string }[]>;
  readonly options: { readonly context?: unknown };
  executed(): Promise<readonly { readonly name: string }[]>;
}

/** Lucid's `MigrationRunner`. */
export interface LucidMigrations {
  getList(): Promise<readonly { readonly name: string; readonly status: string }[]>;
  readonly direction: 'up' | 'down';
}

function prisma(_settings: unknown, database: Database, folder: string): Migrations {
  const table = {
    table: '_prisma_migrations',
    column: 'migration_name',
    where: 'finished_at IS NOT NULL AND rolled_back_at IS NULL',
  };
  return {
    database: () => database,
    async list(starter) {
      const entries = await readFolder(folder);
      return {
        known: entries.filter(({ isFolder }) => isFolder).map(({ name }) => name),
        applied: await readApplied(database, table, starter),
      };
    },
  };
}

function typeorm(source: TypeormDatabase): Migrations {
  const database = typeormDatabase(source);
  const table = textOf(property(source.options, 'migrationsTableName')) ?? 'migrations';
  const schema = textOf(property(source.options, 'schema'));
  return {
    database: () => database,
    async list(starter) {
      // Asked first: a DataSource that is not initialised has not read its migrations either.
      const applied = await readApplied(database, { table, schema }, starter);
      const all = property(source, 'migrations');
      return { known: (Array.isArray(all) ? all : []).map(nameOfTypeorm), applied };
    },
  };
}

const nameOfTypeorm = (migration: object) =>
  textOf(property(migration, 'name')) ?? migration.constructor.name;

function umzug(value: UmzugMigrations): Migrations {
  const storage = property(value, 'storage') ?? property(value.options, 'storage');
  const database = storageDatabase(storage);
  return {
    database: () => database,
    async list(starter) {
      const context: unknown = await contextOf(value);
      const all = await listUmzug(value, context);
      return { known: all, applied: await readStorage(storage, database, context, starter) };
    },
  };
}

async function contextOf(value: UmzugMigrations): Promise<unknown> {
  const { context } = value.options;
  return typeof context === 'function' ? context() : (context ?? {});
}

async function listUmzug(value: unknown, context: unknown): Promise<readonly string[]> {
  const list = property(value, 'migrations');
  const all: unknown = typeof list === 'function' ? await list.call(value, context) : [];
  return Array.isArray(all) ? all.map((migration: unknown) => String(property(migration, 'name'))) : [];
}

function storageDatabase(storage: unknown): Database | undefined {
  const below = property(property(storage, 'model'), 'sequelize') ?? property(storage, 'sequelize');
  return databases.recognise(below)?.();
}

/** Umzug's storage on Sequelize creates its table when it is read: its table is read in its stead. */
async function readStorage(
  storage: unknown,
  database: Database | undefined,
  context: unknown,
  starter: Starter,
): Promise<readonly string[]> {
  const model = property(storage, 'model');
  if (database !== undefined && hasMethods(model, 'getTableName')) {
    const name = call(model, 'getTableName');
    const table = {
      table: textOf(name) ?? String(property(name, 'tableName')),
      schema: textOf(property(name, 'schema')),
      column: textOf(property(storage, 'columnName')) ?? 'name',
    };
    return readApplied(database, table, starter);
  }
  const names: unknown = await call(storage, 'executed', { context });
  return Array.isArray(names) ? names.map(String) : [];
}

function mikroOrm(orm: MikroOrmDatabase): Migrations {
  const database = mikroOrmDatabase(orm);
  return {
    database: () => database,
    async list(starter) {
      const migrator = property(orm, 'migrator');
      const storage = property(migrator, 'storage');
      const found = call(storage, 'getTableName');
      const table = textOf(property(found, 'tableName')) ?? 'mikro_orm_migrations';
      const schema = textOf(property(found, 'schemaName'));
      const applied = await readApplied(database, { table, schema }, starter);
      return {
        known: await listMikroOrm(migrator),
        applied: applied.map((name) => textOf(call(storage, 'getMigrationName', name)) ?? name),
      };
    },
  };
}

/** MikroORM 6 uses Umzug; 7 lists its files itself, and would create its table when asked for pending migrations. */
async function listMikroOrm(migrator: unknown): Promise<readonly string[]> {
  if (!hasMethods(migrator, 'discoverMigrations')) return listUmzug(property(migrator, 'umzug'), {});
  await call(migrator, 'resolvePaths');
  const found: unknown = await call(migrator, 'discoverMigrations');
  return Array.isArray(found) ? found.map((migration: unknown) => String(property(migration, 'name'))) : [];
}

function lucid(runner: LucidMigrations): Migrations {
  const database = overBuilderOf(() => call(property(runner, 'client'), 'getWriteClient'));
  const table = textOf(property(runner, 'schemaTableName')) ?? 'adonis_schema';
  return {
    database: () => database,
    async list(starter) {
      const source = property(runner, 'migrationSource');
      if (!hasMigrations(source)) throw new OwnError('Unsupported version of MigrationRunner');
      return {
        known: (await source.getMigrations()).map(({ name }) => name),
        applied: await readApplied(database, { table }, starter),
      };
    },
  };
}

function hasMigrations(
  value: unknown,
): value is { getMigrations(): Promise<readonly { readonly name: string }[]> } {
  return hasMethods(value, 'getMigrations');
}

const isUmzug = (value: unknown): value is UmzugMigrations =>
  hasMethods(value, 'migrations', 'pending', 'executed') && isObject(property(value, 'options'));
const isLucidRunner = (value: unknown): value is LucidMigrations =>
  hasMethods(value, 'getList', 'run') && 'direction' in value;
const recognisePrisma = (value: unknown) => recognise([prismaKind], value);

/** Migrations of object mappers. */
export const orms = [
  settingsKind('Prisma', recognisePrisma, prisma, 'db', 'migrationsFolder'),
  kind(['TypeORM DataSource'], isTypeorm, typeorm),
  kind(['Umzug'], isUmzug, umzug),
  kind(['MikroORM'], isMikroOrm, mikroOrm),
  kind(['Lucid MigrationRunner'], isLucidRunner, lucid),
];
