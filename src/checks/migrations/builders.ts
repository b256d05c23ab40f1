import { adopt, type Family, family, property, textOf } from '../client.js';
import { pgClient, pgPool } from '../databases/postgresql.js';
import { drizzle, knex, kysely } from '../databases/query-builders.js';
import {
  isDrizzleMigrations,
  isKyselyMigrator,
  isKyselyProps,
  isNodePgMigrate,
  knexSource,
  type KyselyMigrator,
  type KyselyMigratorProps,
} from './shapes.js';
import { type Migrations, readBooks, readFolder, readText } from './source.js';

/** A Knex instance: its `migrations` settings say where they are. */
export const knexMigrations: Family<Migrations> = {
  adopt(value) {
    const database = knex.adopt(value);
    const config = property(property(value, 'migrate'), 'config');
    const source = knexSource(value);
    if (database === undefined || source === undefined) return undefined;
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

export const kyselyMigrator = family<KyselyMigrator, Migrations>(isKyselyMigrator, (migrator) => ({
  async list() {
    const all = await migrator.getMigrations();
    return {
      known: all.map(({ name }) => name),
      applied: all.filter(({ executedAt }) => executedAt !== undefined).map(({ name }) => name),
    };
  },
}));

export const kyselyProps = family<KyselyMigratorProps, Migrations>(isKyselyProps, (props) => {
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
});

export const drizzleMigrations: Family<Migrations> = {
  adopt(value) {
    if (!isDrizzleMigrations(value)) return undefined;
    const database = drizzle.adopt(value.db);
    const folder = value.migrationsFolder;
    if (database === undefined) return undefined;
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
  adopt(value) {
    if (!isNodePgMigrate(value)) return undefined;
    const { dbClient, dir, migrationsTable: table } = value;
    const database = adopt([pgPool, pgClient], dbClient);
    if (database === undefined) return undefined;
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
