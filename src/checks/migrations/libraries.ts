import { call, hasMethods, isObject, listOf, property, textOf } from '../client.js';
import { type Database, postgresqlDialect } from '../databases/database.js';
import { databases, type DrizzleDatabase } from '../databases/index.js';
import {
  isMikroOrm,
  isPrisma,
  isTypeorm,
  type MikroOrmDatabase,
  over,
  type PrismaDatabase,
  type TypeormDatabase,
} from '../databases/orms.js';
import { isPgClient, isPgPool, type PgClient, type PgPool } from '../databases/postgresql.js';
import { isKnex, isKysely, type KnexDatabase, type KyselyDatabase } from '../databases/query-builders.js';
import { Failure } from '../reasons.js';
import { Family, kind } from '../recognise.js';
import { isUnusedKnex, namesIn, readText } from './folders.js';

/** A library that notes applied migrations in a table of its database. It is only read. */
interface Migrations {
  readonly database: Database;
  readonly table: () => MigrationTable;
  /** The names of the migrations in this build. Called after the table was read: some libraries know them only once they are connected. */
  readonly known: () => readonly string[] | Promise<readonly string[]>;
  /** The name of a migration by the value in the table, if that is not the name. */
  readonly nameOf?: (value: string) => string;
}

export interface MigrationTable {
  readonly table: string;
  readonly schema?: string | undefined;
  readonly column?: string | undefined;
  readonly where?: string;
}

/** A Drizzle database and the settings that its `migrate` accepts. */
interface DrizzleMigrations {
  readonly db: DrizzleDatabase;
  readonly migrationsFolder: string;
  readonly migrationsTable?: string | undefined;
  readonly migrationsSchema?: string | undefined;
}

/** Prisma: a client and the folder of its migrations, `prisma/migrations`. */
interface PrismaMigrations {
  readonly db: PrismaDatabase;
  readonly migrationsFolder: string;
}

/** The settings of node-pg-migrate, with the application's own pool or client. */
interface NodePgMigrations {
  readonly dbClient: PgPool | PgClient;
  readonly dir: string;
  readonly migrationsTable: string;
  readonly migrationsSchema?: string | undefined;
  readonly schema?: string | readonly string[] | undefined;
}

/** The settings of a Kysely `Migrator`. */
interface KyselyMigrations {
  readonly db: KyselyDatabase;
  readonly provider: { getMigrations(): Promise<Readonly<Record<string, object>>> };
  readonly migrationTableName?: string | undefined;
  readonly migrationTableSchema?: string | undefined;
}

/** An `Umzug` instance with `SequelizeStorage`. */
interface UmzugMigrations {
  migrations(context: never): Promise<readonly { readonly name: string }[]>;
  readonly options: { readonly context?: unknown };
  executed(): Promise<readonly { readonly name: string }[]>;
}

/** Lucid's `MigrationRunner`. */
interface LucidMigrations {
  getList(): Promise<readonly { readonly name: string; readonly status: string }[]>;
  readonly direction: 'up' | 'down';
}

const databaseOf = (client: unknown): Database => databases.require(client)();

const sourceOf = (client: KnexDatabase) => property(client.migrate, 'config', 'migrationSource');

/** A Knex instance whose `migrations` settings say where they are. */
const isMigratedKnex = (value: unknown): value is KnexDatabase =>
  isKnex(value) && hasMethods(sourceOf(value), 'getMigrations', 'getMigrationName');

function knex(client: KnexDatabase): Migrations {
  const config = property(client.migrate, 'config');
  const source = sourceOf(client);
  return {
    database: databaseOf(client),
    table: () => ({
      table: textOf(property(config, 'tableName')) ?? 'knex_migrations',
      schema: textOf(property(config, 'schemaName')),
    }),
    async known() {
      const all = listOf(await call(source, 'getMigrations', property(config, 'loadExtensions')));
      return all.map((migration) => String(call(source, 'getMigrationName', migration)));
    },
  };
}

const isKyselySettings = (value: unknown): value is KyselyMigrations =>
  hasMethods(property(value, 'provider'), 'getMigrations') && isKysely(property(value, 'db'));

const kysely = (settings: KyselyMigrations): Migrations => ({
  database: databaseOf(settings.db),
  table: () => ({
    table: settings.migrationTableName ?? 'kysely_migration',
    schema: settings.migrationTableSchema,
  }),
  known: async () => Object.keys(await settings.provider.getMigrations()).toSorted(),
});

const hasTexts = (value: unknown, ...names: readonly string[]) =>
  names.every((name) => textOf(property(value, name)) !== undefined);

const isDrizzleSettings = (value: unknown): value is DrizzleMigrations =>
  databases.is(property(value, 'db', '$client')) && hasTexts(value, 'migrationsFolder');

function drizzle(settings: DrizzleMigrations, folder = settings.migrationsFolder): Migrations {
  const database = databaseOf(settings.db);
  // Only PostgreSQL has schemas for such a table.
  const hasSchemas = database.dialect === postgresqlDialect;
  // The table holds the times of the journal, not the names.
  let names = new Map<string, string>();
  return {
    database,
    table: () => ({
      table: textOf(settings.migrationsTable) ?? '__drizzle_migrations',
      schema: hasSchemas ? (textOf(settings.migrationsSchema) ?? 'drizzle') : undefined,
      column: 'created_at',
    }),
    async known() {
      const journal: unknown = JSON.parse(await readText(folder, 'meta', '_journal.json'));
      const entries = property(journal, 'entries');
      if (!Array.isArray(entries)) throw new Failure('meta/_journal.json has no entries list');
      names = new Map(entries.map((entry) => [String(property(entry, 'when')), nameIn(entry, 'tag')]));
      return [...names.values()];
    },
    nameOf: (time) => names.get(time) ?? `one of ${dateOf(time)}`,
  };
}

const dateOf = (time: string) =>
  /^\d{1,15}$/.test(time) ? new Date(Number(time)).toISOString() : 'unknown date';

const isNodePgMigrate = (value: unknown): value is NodePgMigrations => {
  const client = property(value, 'dbClient');
  return (isPgPool(client) || isPgClient(client)) && hasTexts(value, 'dir', 'migrationsTable');
};

function nodePgMigrate(settings: NodePgMigrations, folder = settings.dir): Migrations {
  const schemas = settings.migrationsSchema ?? settings.schema;
  return {
    database: databaseOf(settings.dbClient),
    table: () => ({
      table: settings.migrationsTable,
      schema: textOf(Array.isArray(schemas) ? schemas[0] : schemas),
    }),
    async known() {
      const all = (await namesIn(folder, 'files')).filter((name) => !/^\.|\.(map|d\.[cm]?ts)$/.test(name));
      return [...new Set(all.map((name) => name.replace(/(\.(up|down))?\.[^.]+$/, '')))];
    },
  };
}

const isPrismaSettings = (value: unknown): value is PrismaMigrations =>
  isPrisma(property(value, 'db')) && hasTexts(value, 'migrationsFolder');

const prisma = (settings: PrismaMigrations, folder = settings.migrationsFolder): Migrations => ({
  database: databaseOf(settings.db),
  table: () => ({
    table: '_prisma_migrations',
    column: 'migration_name',
    where: 'finished_at IS NOT NULL AND rolled_back_at IS NULL',
  }),
  known: () => namesIn(folder, 'folders'),
});

const typeorm = (source: TypeormDatabase): Migrations => ({
  database: databaseOf(source),
  table: () => ({
    table: textOf(property(source.options, 'migrationsTableName')) ?? 'migrations',
    schema: textOf(property(source.options, 'schema')),
  }),
  known: () =>
    listOf(property(source, 'migrations')).map(
      (migration) => textOf(property(migration, 'name')) ?? nameIn(property(migration, 'constructor')),
    ),
});

const storageOf = (umzug: unknown) => property(umzug, 'storage') ?? property(umzug, 'options', 'storage');

const isUmzug = (value: unknown): value is UmzugMigrations =>
  hasMethods(value, 'migrations', 'pending', 'executed') &&
  isObject(property(value, 'options')) &&
  hasMethods(property(storageOf(value), 'model'), 'getTableName');

/** Its storage creates its table when it is read: the table is read instead. */
function umzug(source: UmzugMigrations): Migrations {
  const storage = storageOf(source);
  const model = property(storage, 'model');
  return {
    database: databaseOf(property(model, 'sequelize') ?? property(storage, 'sequelize')),
    table() {
      const name = call(model, 'getTableName');
      return {
        table: textOf(name) ?? String(property(name, 'tableName')),
        schema: textOf(property(name, 'schema')),
        column: textOf(property(storage, 'columnName')),
      };
    },
    async known() {
      const { context } = source.options;
      return namesFrom(
        source,
        'migrations',
        await (typeof context === 'function' ? context() : (context ?? {})),
      );
    },
  };
}

function mikroOrm(orm: MikroOrmDatabase): Migrations {
  const storage = () => property(orm, 'migrator', 'storage');
  return {
    database: databaseOf(orm),
    table() {
      const name = call(storage(), 'getTableName');
      return {
        table: textOf(property(name, 'tableName')) ?? 'mikro_orm_migrations',
        schema: textOf(property(name, 'schemaName')),
      };
    },
    async known() {
      const migrator = property(orm, 'migrator');
      // MikroORM 6 uses Umzug; 7 lists its files itself, and would create its table to list pending migrations.
      if (!hasMethods(migrator, 'discoverMigrations'))
        return namesFrom(property(migrator, 'umzug'), 'migrations', {});
      await call(migrator, 'resolvePaths');
      return namesFrom(migrator, 'discoverMigrations');
    },
    nameOf: (row) => textOf(call(storage(), 'getMigrationName', row)) ?? row,
  };
}

const isLucidRunner = (value: unknown): value is LucidMigrations =>
  hasMethods(value, 'getList', 'run') && 'direction' in value;

const lucid = (runner: LucidMigrations): Migrations => ({
  // Another client after the connection was closed.
  database: over(() => call(property(runner, 'client'), 'getWriteClient')),
  table: () => ({ table: textOf(property(runner, 'schemaTableName')) ?? 'adonis_schema' }),
  async known() {
    const source = property(runner, 'migrationSource');
    if (!hasMethods(source, 'getMigrations')) throw new Failure('Unsupported version of MigrationRunner');
    return namesFrom(source, 'getMigrations');
  },
});

const nameIn = (migration: unknown, member = 'name') => String(property(migration, member));

async function namesFrom(owner: unknown, method: string, ...args: readonly unknown[]) {
  return listOf(await call(owner, method, ...args)).map((migration) => nameIn(migration));
}

/** The values of the option `migrations`: the source of the migrations that your application or migration script uses. */
export type MigrationSource =
  | KnexDatabase
  | KyselyMigrations
  | DrizzleMigrations
  | PrismaMigrations
  /** TypeORM: a `DataSource` with migrations. */
  | (TypeormDatabase & { readonly migrations: readonly object[] })
  | UmzugMigrations
  /** MikroORM: an instance with the extension `Migrator`. */
  | (MikroOrmDatabase & { readonly migrator: object })
  | LucidMigrations
  | NodePgMigrations;

/** Makes the adapter of a source; `folder` is its folder as an absolute path, if it has one. */
type MakeMigrations = (folder?: string) => Migrations;

export const migrationSources = new Family<MigrationSource, MakeMigrations>('migrations', [
  kind(['Knex'], isMigratedKnex, knex),
  kind(['Kysely { db, provider }'], isKyselySettings, kysely),
  kind(['Drizzle { db, migrationsFolder }'], isDrizzleSettings, drizzle),
  kind(['node-pg-migrate { dbClient, dir, migrationsTable }'], isNodePgMigrate, nodePgMigrate),
  kind(['Prisma { db, migrationsFolder }'], isPrismaSettings, prisma),
  kind(['TypeORM DataSource'], isTypeorm, typeorm),
  kind(['Umzug with SequelizeStorage'], isUmzug, umzug),
  kind(['MikroORM'], isMikroOrm, mikroOrm),
  kind(['Lucid MigrationRunner'], isLucidRunner, lucid),
]);

/** Whether a client in a container has migrations: every Knex could. */
export const hasMigrations = (value: unknown): value is MigrationSource =>
  migrationSources.is(value) && !isUnusedKnex(value);
