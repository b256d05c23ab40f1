import { call, type Family, family, hasMethods, property, textOf } from '../client.js';
import { mikroOrm, prisma, sequelize, typeorm } from '../databases/orms.js';
import { knex } from '../databases/query-builders.js';
import type { KnexDatabase } from '../databases/wrapper-shapes.js';
import type { Starter } from '../flight.js';
import {
  isLucidRunner,
  isPrismaMigrations,
  isUmzug,
  type LucidMigrations,
  type UmzugMigrations,
} from './shapes.js';
import { type Migrations, readBooks, readFolder } from './source.js';

export const prismaMigrations: Family<Migrations> = {
  adopt(value) {
    if (!isPrismaMigrations(value)) return undefined;
    const database = prisma.adopt(value.db);
    const folder = value.migrationsFolder;
    if (database === undefined) return undefined;
    const books = {
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
          applied: await readBooks(database, books, starter),
        };
      },
    };
  },
};

export const typeormMigrations: Family<Migrations> = {
  adopt(value) {
    const database = typeorm.adopt(value);
    if (database === undefined) return undefined;
    const options = property(value, 'options');
    const books = {
      table: textOf(property(options, 'migrationsTableName')) ?? 'migrations',
      schema: textOf(property(options, 'schema')),
    };
    return {
      database: () => database,
      async list(starter) {
        // Asked first: a DataSource that is not initialised has not read its migrations either.
        const applied = await readBooks(database, books, starter);
        const all = property(value, 'migrations');
        return { known: (Array.isArray(all) ? all : []).map(nameOfTypeorm), applied };
      },
    };
  },
};

const nameOfTypeorm = (migration: object) =>
  textOf(property(migration, 'name')) ?? migration.constructor.name;

export const umzug: Family<Migrations> = {
  adopt(value) {
    if (!isUmzug(value)) return undefined;
    const storage = property(value, 'storage') ?? property(value.options, 'storage');
    return {
      database: () => storageDatabase(storage),
      async list(starter) {
        const context: unknown = await contextOf(value);
        const all = await listUmzug(value, context);
        return { known: all, applied: await readStorage(storage, context, starter) };
      },
    };
  },
};

async function contextOf(value: UmzugMigrations): Promise<unknown> {
  const { context } = value.options;
  return typeof context === 'function' ? context() : (context ?? {});
}

async function listUmzug(value: unknown, context: unknown): Promise<readonly string[]> {
  const list = property(value, 'migrations');
  const all: unknown = typeof list === 'function' ? await list.call(value, context) : [];
  return Array.isArray(all) ? all.map((migration: unknown) => String(property(migration, 'name'))) : [];
}

const storageDatabase = (storage: unknown) =>
  sequelize.adopt(property(property(storage, 'model'), 'sequelize') ?? property(storage, 'sequelize'));

/** Umzug's storage on Sequelize creates its table when it is read: its table is read in its stead. */
async function readStorage(storage: unknown, context: unknown, starter: Starter): Promise<readonly string[]> {
  const model = property(storage, 'model');
  const database = storageDatabase(storage);
  if (database !== undefined && hasMethods(model, 'getTableName')) {
    const getTableName: unknown = Reflect.get(model, 'getTableName');
    const name: unknown = typeof getTableName === 'function' ? getTableName.call(model) : undefined;
    const books = {
      table: textOf(name) ?? String(property(name, 'tableName')),
      schema: textOf(property(name, 'schema')),
      column: textOf(property(storage, 'columnName')) ?? 'name',
    };
    return readBooks(database, books, starter);
  }
  const executed = property(storage, 'executed');
  const names: unknown = typeof executed === 'function' ? await executed.call(storage, { context }) : [];
  return Array.isArray(names) ? names.map(String) : [];
}

export const mikroOrmMigrations: Family<Migrations> = {
  adopt(value) {
    const database = mikroOrm.adopt(value);
    if (database === undefined) return undefined;
    return {
      database: () => database,
      async list(starter) {
        const migrator = property(value, 'migrator');
        const storage = property(migrator, 'storage');
        const table = call(storage, 'getTableName');
        const books = {
          table: textOf(property(table, 'tableName')) ?? 'mikro_orm_migrations',
          schema: textOf(property(table, 'schemaName')),
        };
        const applied = await readBooks(database, books, starter);
        return {
          known: await listMikroOrm(migrator),
          applied: applied.map((name) => textOf(call(storage, 'getMigrationName', name)) ?? name),
        };
      },
    };
  },
};

/** MikroORM 6 stands on Umzug; 7 lists its files itself, and would create its table where it is asked for what is pending. */
async function listMikroOrm(migrator: unknown): Promise<readonly string[]> {
  if (!hasMethods(migrator, 'discoverMigrations')) return listUmzug(property(migrator, 'umzug'), {});
  await call(migrator, 'resolvePaths');
  const found: unknown = await call(migrator, 'discoverMigrations');
  return Array.isArray(found) ? found.map((migration: unknown) => String(property(migration, 'name'))) : [];
}

export const lucidMigrations = family<LucidMigrations, Migrations>(isLucidRunner, (runner) => ({
  database: () => lucidDatabase(runner),
  async list(starter) {
    const database = lucidDatabase(runner);
    const source = property(runner, 'migrationSource');
    if (database === undefined || !hasMigrations(source))
      throw new TypeError('This MigrationRunner is of another version');
    const table = textOf(property(runner, 'schemaTableName')) ?? 'adonis_schema';
    return {
      known: (await source.getMigrations()).map(({ name }) => name),
      applied: await readBooks(database, { table }, starter),
    };
  },
}));

function lucidDatabase(runner: LucidMigrations) {
  const client = property(runner, 'client');
  return isLucidReader(client) ? knex.adopt(client.getWriteClient()) : undefined;
}

function isLucidReader(value: unknown): value is { getWriteClient(): KnexDatabase } {
  return hasMethods(value, 'getWriteClient');
}

function hasMigrations(
  value: unknown,
): value is { getMigrations(): Promise<readonly { readonly name: string }[]> } {
  return hasMethods(value, 'getMigrations');
}
