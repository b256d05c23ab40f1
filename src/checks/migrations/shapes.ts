import { hasMethods, isObject, property, textOf } from '../client.js';
import { recognise, type Shape } from '../recognise.js';
import {
  type RecognisedDatabase,
  recogniseDrizzle,
  recognisePg,
  recognisePrisma,
} from '../databases/shapes.js';
import {
  isKnex,
  isKysely,
  isMikroOrm,
  isTypeorm,
  type LendingKnex,
  type MikroOrmDatabase,
  type TypeormDatabase,
} from '../databases/wrapper-shapes.js';
import { isUnusedKnex } from './folders.js';
import type {
  KyselyMigrator,
  KyselyMigratorProps,
  LucidMigrations,
  MigrationSource,
  UmzugMigrations,
} from './source-shapes.js';
import type { Migrations } from './source.js';

export interface KnexMigrationSource {
  getMigrations(extensions: unknown): Promise<readonly unknown[]>;
  getMigrationName(migration: unknown): string;
}

/** Where a Knex looks for its migrations. */
function knexSource(value: unknown): KnexMigrationSource | undefined {
  const source = property(property(property(value, 'migrate'), 'config'), 'migrationSource');
  return isKnexSource(source) ? source : undefined;
}

const isKnexSource = (value: unknown): value is KnexMigrationSource =>
  hasMethods(value, 'getMigrations', 'getMigrationName');
const isKyselyMigrator = (value: unknown): value is KyselyMigrator => hasMethods(value, 'getMigrations');
const isKyselyProps = (value: unknown): value is KyselyMigratorProps =>
  hasMethods(property(value, 'provider'), 'getMigrations') && isKysely(property(value, 'db'));
const isUmzug = (value: unknown): value is UmzugMigrations =>
  hasMethods(value, 'migrations', 'pending', 'executed') && isObject(property(value, 'options'));
const isLucidRunner = (value: unknown): value is LucidMigrations =>
  hasMethods(value, 'getList', 'run') && 'direction' in value;

/** One function for each kind of source; the folder is where its migrations are. */
export interface MigrationAdapters {
  readonly knex: (database: LendingKnex, source: KnexMigrationSource) => Migrations;
  readonly kyselyMigrator: (migrator: KyselyMigrator) => Migrations;
  readonly kyselyProps: (props: KyselyMigratorProps) => Migrations;
  readonly drizzle: (settings: unknown, client: RecognisedDatabase, folder: string) => Migrations;
  readonly nodePgMigrate: (settings: unknown, client: RecognisedDatabase, folder: string) => Migrations;
  readonly prisma: (settings: unknown, client: RecognisedDatabase, folder: string) => Migrations;
  readonly typeorm: (source: TypeormDatabase) => Migrations;
  readonly umzug: (umzug: UmzugMigrations) => Migrations;
  readonly mikroOrm: (orm: MikroOrmDatabase) => Migrations;
  readonly lucid: (runner: LucidMigrations) => Migrations;
}

/** A source that was recognised: it goes to its adapter when the code of that is there. */
export interface RecognisedMigrations {
  /** With the folder of the migrations if it was searched for; without it, the one in the settings. */
  adopt(adapters: MigrationAdapters, folder?: string): Migrations;
}

const knex: Shape<RecognisedMigrations> = {
  names: ['Knex'],
  recognise(value) {
    const source = knexSource(value);
    if (source === undefined || !isKnex(value)) return undefined;
    return { adopt: (to) => to.knex(value, source) };
  },
};

/** Settings in which these are: a client, a folder of migrations, other texts. */
const settings = (
  name: string,
  recogniseClient: (value: unknown) => RecognisedDatabase | undefined,
  adapter: 'drizzle' | 'nodePgMigrate' | 'prisma',
  clientOption: string,
  ...texts: readonly [folder: string, ...others: readonly string[]]
): Shape<RecognisedMigrations> => ({
  names: [name],
  recognise(value) {
    const [given, ...others] = texts.map((option) => textOf(property(value, option)));
    const client = recogniseClient(property(value, clientOption));
    if (given === undefined || others.includes(undefined) || client === undefined) return undefined;
    return { adopt: (to, folder = given) => to[adapter](value, client, folder) };
  },
});

const simple = <Source>(
  names: readonly string[],
  is: (value: unknown) => value is Source,
  adapterOf: (adapters: MigrationAdapters) => (source: Source) => Migrations,
): Shape<RecognisedMigrations> => ({
  names,
  recognise: (value) => (is(value) ? { adopt: (to) => adapterOf(to)(value) } : undefined),
});

const shapes: readonly Shape<RecognisedMigrations>[] = [
  knex,
  simple(['Kysely Migrator'], isKyselyMigrator, (to) => to.kyselyMigrator),
  simple([], isKyselyProps, (to) => to.kyselyProps),
  settings('Drizzle { db, migrationsFolder }', recogniseDrizzle, 'drizzle', 'db', 'migrationsFolder'),
  settings(
    'node-pg-migrate { dbClient, dir, migrationsTable }',
    recognisePg,
    'nodePgMigrate',
    'dbClient',
    'dir',
    'migrationsTable',
  ),
  settings('Prisma { db, migrationsFolder }', recognisePrisma, 'prisma', 'db', 'migrationsFolder'),
  simple(['TypeORM DataSource'], isTypeorm, (to) => to.typeorm),
  simple(['Umzug'], isUmzug, (to) => to.umzug),
  simple(['MikroORM'], isMikroOrm, (to) => to.mikroOrm),
  simple(['Lucid MigrationRunner'], isLucidRunner, (to) => to.lucid),
];

export const migrationNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseMigrations = (value: unknown): RecognisedMigrations | undefined =>
  recognise(shapes, value);

export function isMigrationSource(value: unknown): value is MigrationSource {
  return recogniseMigrations(value) !== undefined;
}

/** Whether a client that a container has is one that knows migrations, and not only one that could. */
export function hasMigrations(value: unknown): value is MigrationSource {
  return isMigrationSource(value) && !isUnusedKnex(value);
}
