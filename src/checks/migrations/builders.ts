import { property, textOf } from '../client.js';
import { databaseOf } from '../databases/index.js';
import { knex as knexDatabase, kysely } from '../databases/query-builders.js';
import type { RecognisedDatabase } from '../databases/shapes.js';
import type { LendingKnex } from '../databases/wrapper-shapes.js';
import type { KnexMigrationSource } from './shapes.js';
import type { KyselyMigrator, KyselyMigratorProps } from './source-shapes.js';
import { type Migrations, readApplied, readFolder, readText } from './source.js';

/** A Knex instance: its `migrations` settings say where they are. */
export function knex(client: LendingKnex, source: KnexMigrationSource): Migrations {
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

export const kyselyMigrator = (migrator: KyselyMigrator): Migrations => ({
  async list() {
    const all = await migrator.getMigrations();
    return {
      known: all.map(({ name }) => name),
      applied: all.filter(({ executedAt }) => executedAt !== undefined).map(({ name }) => name),
    };
  },
});

export function kyselyProps(props: KyselyMigratorProps): Migrations {
  const database = kysely(props.db);
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

export function drizzle(settings: unknown, client: RecognisedDatabase, folder: string): Migrations {
  const database = databaseOf(client);
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
      if (!Array.isArray(entries)) throw new TypeError('meta/_journal.json has no entries list');
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

export function nodePgMigrate(settings: unknown, client: RecognisedDatabase, folder: string): Migrations {
  const database = databaseOf(client);
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
