import { adopt, type Family, family, hasMethods, property } from '../client.js';
import { pgClient, type PgClient, pgPool, type PgPool } from '../databases/postgresql.js';
import {
  drizzle,
  type DrizzleDatabase,
  knex,
  kysely,
  type KyselyDatabase,
} from '../databases/query-builders.js';
import { type Migrations, readBooks, readFolder, readText, textOf } from './source.js';

/** A Kysely `Migrator`. It tells nothing of applied migrations that are not on disk: its settings do. */
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

/** A Drizzle database and the settings its `migrate` takes. */
export interface DrizzleMigrations {
  readonly db: DrizzleDatabase;
  readonly migrationsFolder: string;
  readonly migrationsTable?: string | undefined;
  readonly migrationsSchema?: string | undefined;
}

/** The settings of node-pg-migrate, with the application's own pool or client. */
export interface NodePgMigrations {
  readonly dbClient: PgPool | PgClient;
  readonly dir: string;
  readonly migrationsTable: string;
  readonly migrationsSchema?: string | undefined;
  readonly schema?: string | readonly string[] | undefined;
}

interface KnexMigrationSource {
  getMigrations(extensions: unknown): Promise<readonly unknown[]>;
  getMigrationName(migration: unknown): string;
}

/** A Knex instance: its `migrations` settings say where they are. */
export const knexMigrations: Family<Migrations> = {
  names: ['Knex'],
  adopt(value) {
    const database = knex.adopt(value);
    const config = property(property(value, 'migrate'), 'config');
    const source = property(config, 'migrationSource');
    if (database === undefined || !isKnexSource(source)) return undefined;
    const table = textOf(property(config, 'tableName')) ?? 'knex_migrations';
    const schema = textOf(property(config, 'schemaName'));
    return {
      database: () => database,
      async list(starter) {
        const all = await source.getMigrations(property(config, 'loadExtensions'));
        return {
          known: all.map((migration) => source.getMigrationName(migration)),
          applied: await readBooks(database, { table, schema }, starter),
        };
      },
    };
  },
};

function isKnexSource(value: unknown): value is KnexMigrationSource {
  return hasMethods(value, 'getMigrations', 'getMigrationName');
}

export const kyselyMigrator = family<KyselyMigrator, Migrations>(
  ['Kysely Migrator'],
  (value): value is KyselyMigrator => hasMethods(value, 'getMigrations'),
  (migrator) => ({
    async list() {
      const all = await migrator.getMigrations();
      return {
        known: all.map(({ name }) => name),
        applied: all.filter(({ executedAt }) => executedAt !== undefined).map(({ name }) => name),
      };
    },
  }),
);

export const kyselyProps = family<KyselyMigratorProps, Migrations>(
  [],
  (value): value is KyselyMigratorProps =>
    hasMethods(property(value, 'provider'), 'getMigrations') &&
    kysely.adopt(property(value, 'db')) !== undefined,
  (props) => {
    const database = kysely.adopt(props.db);
    const books = {
      table: props.migrationTableName ?? 'kysely_migration',
      schema: props.migrationTableSchema,
    };
    return {
      database: () => database,
      async list(starter) {
        if (database === undefined) throw new TypeError('The db of these settings is no Kysely');
        return {
          known: Object.keys(await props.provider.getMigrations()).toSorted(),
          applied: await readBooks(database, books, starter),
        };
      },
    };
  },
);

export const drizzleMigrations: Family<Migrations> = {
  names: ['Drizzle { db, migrationsFolder }'],
  adopt(value) {
    const database = drizzle.adopt(property(value, 'db'));
    const folder = textOf(property(value, 'migrationsFolder'));
    if (database === undefined || folder === undefined) return undefined;
    const table = textOf(property(value, 'migrationsTable')) ?? '__drizzle_migrations';
    // Only PostgreSQL has schemas in which to keep the books.
    const inSchema = database.quote === '"' && database.ping === 'SELECT 1';
    const schema = inSchema ? (textOf(property(value, 'migrationsSchema')) ?? 'drizzle') : undefined;
    return {
      database: () => database,
      async list(starter) {
        const journal: unknown = JSON.parse(await readText(folder, 'meta', '_journal.json'));
        const entries = property(journal, 'entries');
        if (!Array.isArray(entries)) throw new TypeError('meta/_journal.json has no list of entries');
        // The books hold the times of the journal, not the names.
        const tags = new Map(
          entries.map((entry: unknown) => [String(property(entry, 'when')), String(property(entry, 'tag'))]),
        );
        const times = await readBooks(database, { table, schema, column: 'created_at' }, starter);
        return {
          known: [...tags.values()],
          applied: times.map((time) => tags.get(time) ?? `one of ${dateOf(time)}`),
        };
      },
    };
  },
};

const dateOf = (time: string) =>
  /^\d{1,15}$/.test(time) ? new Date(Number(time)).toISOString() : 'unknown date';

export const nodePgMigrate: Family<Migrations> = {
  names: ['node-pg-migrate { dbClient, dir, migrationsTable }'],
  adopt(value) {
    const database = adopt([pgPool, pgClient], property(value, 'dbClient'));
    const dir = textOf(property(value, 'dir'));
    const table = textOf(property(value, 'migrationsTable'));
    if (database === undefined || dir === undefined || table === undefined) return undefined;
    const inSchema = property(value, 'migrationsSchema') ?? property(value, 'schema');
    const schema = textOf(Array.isArray(inSchema) ? inSchema[0] : inSchema);
    return {
      database: () => database,
      async list(starter) {
        const names = (await readFolder(dir))
          .filter(({ name, isFolder }) => !isFolder && !/^\.|\.(map|d\.[cm]?ts)$/.test(name))
          .map(({ name }) => name.replace(/(\.(up|down))?\.[^.]+$/, ''));
        return { known: [...new Set(names)], applied: await readBooks(database, { table, schema }, starter) };
      },
    };
  },
};
