import { hasMethods, OwnError, property, textOf } from '../client.js';
import type { Database } from '../databases/database.js';
import { recogniseDrizzle, recognisePg } from '../databases/drivers.js';
import {
  isKnex,
  isKysely,
  knexDatabase,
  kyselyDatabase,
  type KyselyDatabase,
  type LendingKnex,
} from '../databases/query-builders.js';
import { type Kind, kind } from '../recognise.js';
import {
  type MakeMigrations,
  type Migrations,
  readApplied,
  readFolder,
  readText,
  settingsKind,
} from './source.js';

/** A Kysely `Migrator`. It does not list applied migrations that are not on disk: its settings do. */
export interface KyselyMigrator {
  getMigrations(): Promise<readonly { readonly name: string; readonly executedAt?: Date | undefined }[]>;
}

/** The settings a Kysely `Migrator` is made with. */
export interface KyselyMigratorProps {
  readonly db: KyselyDatabase;
  readonly provider: { getMigrations(): Promise<Readonly<Record<string, object>>> };
  readonly migrationTableName?: string | undefined;
  readonly migrationTableSchema?: string | undefined;
}

interface KnexMigrationSource {
  getMigrations(extensions: unknown): Promise<readonly unknown[]>;
  getMigrationName(migration: unknown): string;
}

const isKnexSource = (value: unknown): value is KnexMigrationSource =>
  hasMethods(value, 'getMigrations', 'getMigrationName');

/** A Knex instance: its `migrations` settings say where they are. */
function knexMigrations(client: LendingKnex, source: KnexMigrationSource): Migrations {
  const database = knexDatabase(client);
  const config = property(client.migrate, 'config');
  const table = textOf(property(config, 'tableName')) ?? 'knex_migrations';
  const schema = textOf(property(config, 'schemaName'));
  return {
    database: () => database,
    async list(starter) {
      const all = await source.getMigrations(property(config, 'loadExtensions'));
      return {
        known: all.map((migration) => source.getMigrationName(migration)),
        applied: await readApplied(database, { table, schema }, starter),
      };
    },
  };
}

const migratorMigrations = (migrator: KyselyMigrator): Migrations => ({
  async list() {
    const all = await migrator.getMigrations();
    return {
      known: all.map(({ name }) => name),
      applied: all.filter(({ executedAt }) => executedAt !== undefined).map(({ name }) => name),
    };
  },
});

function propsMigrations(props: KyselyMigratorProps): Migrations {
  const database = kyselyDatabase(props.db);
  const table = props.migrationTableName ?? 'kysely_migration';
  const schema = props.migrationTableSchema;
  return {
    database: () => database,
    async list(starter) {
      return {
        known: Object.keys(await props.provider.getMigrations()).toSorted(),
        applied: await readApplied(database, { table, schema }, starter),
      };
    },
  };
}

function drizzleMigrations(settings: unknown, database: Database, folder: string): Migrations {
  const table = textOf(property(settings, 'migrationsTable')) ?? '__drizzle_migrations';
  // Only PostgreSQL has schemas for such a table.
  const schema =
    database.dialect.name === 'postgresql'
      ? (textOf(property(settings, 'migrationsSchema')) ?? 'drizzle')
      : undefined;
  return {
    database: () => database,
    async list(starter) {
      const journal: unknown = JSON.parse(await readText(folder, 'meta', '_journal.json'));
      const entries = property(journal, 'entries');
      if (!Array.isArray(entries)) throw new OwnError('meta/_journal.json has no entries list');
      // The table holds the times of the journal, not the names.
      const tags = new Map(
        entries.map((entry: unknown) => [String(property(entry, 'when')), String(property(entry, 'tag'))]),
      );
      const times = await readApplied(database, { table, schema, column: 'created_at' }, starter);
      return {
        known: [...tags.values()],
        applied: times.map((time) => tags.get(time) ?? `one of ${dateOf(time)}`),
      };
    },
  };
}

const dateOf = (time: string) =>
  /^\d{1,15}$/.test(time) ? new Date(Number(time)).toISOString() : 'unknown date';

function pgMigrations(settings: unknown, database: Database, folder: string): Migrations {
  const table = String(property(settings, 'migrationsTable'));
  const inSchema = property(settings, 'migrationsSchema') ?? property(settings, 'schema');
  const schema = textOf(Array.isArray(inSchema) ? inSchema[0] : inSchema);
  return {
    database: () => database,
    async list(starter) {
      const names = (await readFolder(folder))
        .filter(({ name, isFolder }) => !isFolder && !/^\.|\.(map|d\.[cm]?ts)$/.test(name))
        .map(({ name }) => name.replace(/(\.(up|down))?\.[^.]+$/, ''));
      return { known: [...new Set(names)], applied: await readApplied(database, { table, schema }, starter) };
    },
  };
}

const knex: Kind<MakeMigrations> = {
  names: ['Knex'],
  recognise(value) {
    const source = property(property(property(value, 'migrate'), 'config'), 'migrationSource');
    return isKnexSource(source) && isKnex(value) ? () => knexMigrations(value, source) : undefined;
  },
};

const isKyselyMigrator = (value: unknown): value is KyselyMigrator => hasMethods(value, 'getMigrations');
const isKyselyProps = (value: unknown): value is KyselyMigratorProps =>
  hasMethods(property(value, 'provider'), 'getMigrations') && isKysely(property(value, 'db'));

/** Migrations of query builders. */
export const builders = [
  knex,
  kind(['Kysely Migrator'], isKyselyMigrator, migratorMigrations),
  kind([], isKyselyProps, propsMigrations),
  settingsKind('Drizzle', recogniseDrizzle, drizzleMigrations, 'db', 'migrationsFolder'),
  settingsKind('node-pg-migrate', recognisePg, pgMigrations, 'dbClient', 'dir', 'migrationsTable'),
];
