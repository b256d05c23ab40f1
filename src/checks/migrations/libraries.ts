import { call, hasMethods, isObject, listOf, OwnError, property, textOf } from '../client.js';
import { type Database, postgresqlDialect } from '../databases/database.js';
import { databases } from '../databases/index.js';
import {
  isMikroOrm,
  isPrisma,
  isTypeorm,
  type MikroOrmDatabase,
  over,
  type TypeormDatabase,
} from '../databases/orms.js';
import { isPgClient, isPgPool } from '../databases/postgresql.js';
import { isKnex, isKysely, type KnexDatabase, type KyselyDatabase } from '../databases/query-builders.js';
import type { Starter } from '../flight.js';
import { isMissingTable } from '../reasons.js';
import { type Kind, kind } from '../recognise.js';
import { namesIn, readText } from './folders.js';

/** A source of migrations, of any library. It reads and never writes. */
export interface Migrations {
  /** The names of those that this build knows, and of those that the database has seen. */
  list(starter: Starter): Promise<{ readonly known: readonly string[]; readonly applied: readonly string[] }>;
  /** The database it asks, if it shows it: whether that answers at all. */
  readonly database?: Database | undefined;
}

/** The table in which a library notes the migrations that were applied. */
interface MigrationTable {
  readonly table: string;
  readonly schema?: string | undefined;
  readonly column?: string;
  /** A condition on the rows, in SQL. */
  readonly where?: string;
}

/** Migrations whose library notes them in a table, and has these `known` names. */
const inTable = (
  database: Database,
  table: () => MigrationTable,
  known: () => readonly string[] | Promise<readonly string[]>,
  /** The name of a migration, by what the table has of it. */
  nameOf = (row: string): string => row,
): Migrations => ({
  database,
  async list(starter) {
    // Asked first: some libraries know their migrations only once they are connected.
    const rows = await readApplied(database, table(), starter);
    return { known: await known(), applied: rows.map(nameOf) };
  },
});

/** The migrations that were applied. No table: none was, and it is not for us to create it. */
async function readApplied(
  database: Database,
  { table, schema, column = 'name', where }: MigrationTable,
  starter: Starter,
): Promise<readonly string[]> {
  const { quote } = database.dialect;
  const quoted = (name: string) => `${quote}${name.replaceAll(quote, quote.repeat(2))}${quote}`;
  const from = schema === undefined ? quoted(table) : `${quoted(schema)}.${quoted(table)}`;
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  const sql = `SELECT ${quoted(column)} AS ${quoted('name')} FROM ${from}${condition}`;
  try {
    return (await database.query(sql, starter)).map((row) => String(row['name']));
  } catch (thrown) {
    if (isMissingTable(thrown)) return [];
    throw thrown;
  }
}

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

const databaseOf = (client: unknown): Database => databases.require(client)();

const sourceOf = (client: KnexDatabase) => property(client.migrate, 'config', 'migrationSource');

/** A Knex instance with a source of migrations: its `migrations` settings say where they are. */
const isMigratedKnex = (value: unknown): value is KnexDatabase =>
  isKnex(value) && hasMethods(sourceOf(value), 'getMigrations', 'getMigrationName');

function knex(client: KnexDatabase): Migrations {
  const config = property(client.migrate, 'config');
  const source = sourceOf(client);
  return inTable(
    databaseOf(client),
    () => ({
      table: textOf(property(config, 'tableName')) ?? 'knex_migrations',
      schema: textOf(property(config, 'schemaName')),
    }),
    async () => {
      const all = listOf(await call(source, 'getMigrations', property(config, 'loadExtensions')));
      return all.map((migration) => String(call(source, 'getMigrationName', migration)));
    },
  );
}

const isKyselyMigrator = (value: unknown): value is KyselyMigrator => hasMethods(value, 'getMigrations');

const kyselyMigrator = (migrator: KyselyMigrator): Migrations => ({
  async list() {
    const all = await migrator.getMigrations();
    const applied = all.filter(({ executedAt }) => executedAt !== undefined);
    return { known: all.map(({ name }) => name), applied: applied.map(({ name }) => name) };
  },
});

const isKyselyProps = (value: unknown): value is KyselyMigratorProps =>
  hasMethods(property(value, 'provider'), 'getMigrations') && isKysely(property(value, 'db'));

const kyselyProps = (props: KyselyMigratorProps): Migrations =>
  inTable(
    databaseOf(props.db),
    () => ({
      table: props.migrationTableName ?? 'kysely_migration',
      schema: props.migrationTableSchema,
    }),
    async () => Object.keys(await props.provider.getMigrations()).toSorted(),
  );

function drizzle(settings: unknown, database: Database, folder: string): Migrations {
  const table = textOf(property(settings, 'migrationsTable')) ?? '__drizzle_migrations';
  const ownSchema = textOf(property(settings, 'migrationsSchema')) ?? 'drizzle';
  // Only PostgreSQL has schemas for such a table.
  const schema = database.dialect === postgresqlDialect ? ownSchema : undefined;
  // The table holds the times of the journal, not the names.
  let names = new Map<string, string>();
  return inTable(
    database,
    () => ({ table, schema, column: 'created_at' }),
    async () => {
      const journal: unknown = JSON.parse(await readText(folder, 'meta', '_journal.json'));
      const entries = property(journal, 'entries');
      if (!Array.isArray(entries)) throw new OwnError('meta/_journal.json has no entries list');
      names = new Map(entries.map((entry) => [String(property(entry, 'when')), nameIn(entry, 'tag')]));
      return [...names.values()];
    },
    (time) => names.get(time) ?? `one of ${dateOf(time)}`,
  );
}

const dateOf = (time: string) =>
  /^\d{1,15}$/.test(time) ? new Date(Number(time)).toISOString() : 'unknown date';

function nodePgMigrate(settings: unknown, database: Database, folder: string): Migrations {
  const table = String(property(settings, 'migrationsTable'));
  const inSchema = property(settings, 'migrationsSchema') ?? property(settings, 'schema');
  const schema = textOf(Array.isArray(inSchema) ? inSchema[0] : inSchema);
  return inTable(
    database,
    () => ({ table, schema }),
    async () => {
      const all = (await namesIn(folder, 'files')).filter((name) => !/^\.|\.(map|d\.[cm]?ts)$/.test(name));
      return [...new Set(all.map((name) => name.replace(/(\.(up|down))?\.[^.]+$/, '')))];
    },
  );
}

const prisma = (_settings: unknown, database: Database, folder: string): Migrations =>
  inTable(
    database,
    () => ({
      table: '_prisma_migrations',
      column: 'migration_name',
      where: 'finished_at IS NOT NULL AND rolled_back_at IS NULL',
    }),
    () => namesIn(folder, 'folders'),
  );

const typeorm = (source: TypeormDatabase): Migrations =>
  inTable(
    databaseOf(source),
    () => ({
      table: textOf(property(source.options, 'migrationsTableName')) ?? 'migrations',
      schema: textOf(property(source.options, 'schema')),
    }),
    () =>
      listOf(property(source, 'migrations')).map(
        (migration) => textOf(property(migration, 'name')) ?? nameIn(property(migration, 'constructor')),
      ),
  );

const isUmzug = (value: unknown): value is UmzugMigrations =>
  hasMethods(value, 'migrations', 'pending', 'executed') && isObject(property(value, 'options'));

function umzug(source: UmzugMigrations): Migrations {
  const storage = property(source, 'storage') ?? property(source.options, 'storage');
  const model = property(storage, 'model');
  const database = databases.recognise(property(model, 'sequelize') ?? property(storage, 'sequelize'))?.();
  const contextOf = async (): Promise<unknown> => {
    const { context } = source.options;
    return typeof context === 'function' ? context() : (context ?? {});
  };
  const known = async () => namesFrom(source, 'migrations', await contextOf());
  if (database === undefined || !hasMethods(model, 'getTableName')) {
    return {
      database,
      async list() {
        const applied = await call(storage, 'executed', { context: await contextOf() });
        return { known: await known(), applied: listOf(applied).map(String) };
      },
    };
  }
  // Its storage on Sequelize creates its table when it is read: the table is read instead.
  const tableOf = () => {
    const name = call(model, 'getTableName');
    return {
      table: textOf(name) ?? String(property(name, 'tableName')),
      schema: textOf(property(name, 'schema')),
      column: textOf(property(storage, 'columnName')) ?? 'name',
    };
  };
  return inTable(database, tableOf, known);
}

function mikroOrm(orm: MikroOrmDatabase): Migrations {
  const storageOf = () => property(orm, 'migrator', 'storage');
  return inTable(
    databaseOf(orm),
    () => {
      const found = call(storageOf(), 'getTableName');
      return {
        table: textOf(property(found, 'tableName')) ?? 'mikro_orm_migrations',
        schema: textOf(property(found, 'schemaName')),
      };
    },
    async () => {
      const migrator = property(orm, 'migrator');
      // MikroORM 6 uses Umzug; 7 lists its files itself, and would create its table when asked for pending migrations.
      if (!hasMethods(migrator, 'discoverMigrations'))
        return namesFrom(property(migrator, 'umzug'), 'migrations', {});
      await call(migrator, 'resolvePaths');
      return namesFrom(migrator, 'discoverMigrations');
    },
    (row) => textOf(call(storageOf(), 'getMigrationName', row)) ?? row,
  );
}

const isLucidRunner = (value: unknown): value is LucidMigrations =>
  hasMethods(value, 'getList', 'run') && 'direction' in value;

const lucid = (runner: LucidMigrations): Migrations =>
  inTable(
    // Another client after the connection was closed.
    over(() => call(property(runner, 'client'), 'getWriteClient')),
    () => ({ table: textOf(property(runner, 'schemaTableName')) ?? 'adonis_schema' }),
    async () => {
      const source = property(runner, 'migrationSource');
      if (!hasMethods(source, 'getMigrations')) throw new OwnError('Unsupported version of MigrationRunner');
      return namesFrom(source, 'getMigrations');
    },
  );

const nameIn = (migration: unknown, member = 'name') => String(property(migration, member));

/** The names of the migrations that a method returns. */
async function namesFrom(owner: unknown, method: string, ...given: readonly unknown[]) {
  return listOf(await call(owner, method, ...given)).map((migration) => nameIn(migration));
}

/** Makes the adapter of a source that was recognised; with the folder of the migrations if it was searched for, without it that of the settings. */
export type MakeMigrations = (folder?: string) => Migrations;

/** Settings in which these are: a client, a folder of migrations, other texts. */
const settingsKind = (
  name: string,
  isClient: (value: unknown) => boolean,
  make: (settings: unknown, database: Database, folder: string) => Migrations,
  clientOption: string,
  ...texts: readonly [folder: string, ...others: readonly string[]]
): Kind<MakeMigrations> => ({
  names: [`${name} { ${clientOption}, ${texts.join(', ')} }`],
  recognise(value) {
    const client = property(value, clientOption);
    const [given, ...others] = texts.map((option) => textOf(property(value, option)));
    if (given === undefined || others.includes(undefined) || !isClient(client)) return undefined;
    return (folder = given) => make(value, databaseOf(client), folder);
  },
});

const isDrizzle = (value: unknown) => databases.is(property(value, '$client'));
const isPg = (value: unknown) => isPgPool(value) || isPgClient(value);

export const libraries: readonly Kind<MakeMigrations>[] = [
  kind(['Knex'], isMigratedKnex, knex),
  kind(['Kysely Migrator'], isKyselyMigrator, kyselyMigrator),
  kind([], isKyselyProps, kyselyProps),
  settingsKind('Drizzle', isDrizzle, drizzle, 'db', 'migrationsFolder'),
  settingsKind('node-pg-migrate', isPg, nodePgMigrate, 'dbClient', 'dir', 'migrationsTable'),
  settingsKind('Prisma', isPrisma, prisma, 'db', 'migrationsFolder'),
  kind(['TypeORM DataSource'], isTypeorm, typeorm),
  kind(['Umzug'], isUmzug, umzug),
  kind(['MikroORM'], isMikroOrm, mikroOrm),
  kind(['Lucid MigrationRunner'], isLucidRunner, lucid),
];
