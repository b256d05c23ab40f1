import { hasMethods, isObject, property, recognise, shape, type Shape, textOf } from '../client.js';
import type { PgClient, PgPool } from '../databases/driver-shapes.js';
import {
  type RecognisedDatabase,
  recogniseDrizzle,
  recognisePg,
  recognisePrisma,
} from '../databases/shapes.js';
import {
  type DrizzleDatabase,
  isKnex,
  isKysely,
  isMikroOrm,
  isTypeorm,
  type KnexDatabase,
  type KyselyDatabase,
  type LendingKnex,
  type MikroOrmDatabase,
  type PrismaDatabase,
  type TypeormDatabase,
} from '../databases/wrapper-shapes.js';
import { isUnusedKnex } from './folders.js';
import type { Migrations } from './source.js';

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
interface DrizzleMigrations {
  readonly db: DrizzleDatabase;
  readonly migrationsFolder: string;
  readonly migrationsTable?: string | undefined;
  readonly migrationsSchema?: string | undefined;
}

/** The settings of node-pg-migrate, with the application's own pool or client. */
interface NodePgMigrations {
  readonly dbClient: PgPool | PgClient;
  readonly dir: string;
  readonly migrationsTable: string;
  readonly migrationsSchema?: string | undefined;
  readonly schema?: string | readonly string[] | undefined;
}

/** A Prisma client and the folder of its migrations, `prisma/migrations`. */
interface PrismaMigrations {
  readonly db: PrismaDatabase;
  readonly migrationsFolder: string;
}

/** A TypeORM `DataSource` with migrations. */
interface TypeormMigrations extends TypeormDatabase {
  readonly migrations: readonly object[];
}

/** An `Umzug` instance, with any storage that does not write when it is read. */
export interface UmzugMigrations {
  migrations(context: never): Promise<readonly { readonly name: string }[]>;
  readonly options: { readonly context?: unknown };
  executed(): Promise<readonly { readonly name: string }[]>;
}

/** A MikroORM 6 or 7 instance with the extension `Migrator`. */
interface MikroOrmMigrations extends MikroOrmDatabase {
  readonly migrator: object;
}

/** Lucid's `MigrationRunner`. */
export interface LucidMigrations {
  getList(): Promise<readonly { readonly name: string; readonly status: string }[]>;
  readonly direction: 'up' | 'down';
}

/** What option `migrations` takes: what knows the migrations, as the application or its migration script holds it. */
export type MigrationSource =
  | KnexDatabase
  | KyselyMigrator
  | KyselyMigratorProps
  | DrizzleMigrations
  | PrismaMigrations
  | TypeormMigrations
  | UmzugMigrations
  | MikroOrmMigrations
  | LucidMigrations
  | NodePgMigrations;

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
  knex(database: LendingKnex, source: KnexMigrationSource): Migrations;
  kyselyMigrator(migrator: KyselyMigrator): Migrations;
  kyselyProps(props: KyselyMigratorProps): Migrations;
  drizzle(settings: unknown, client: RecognisedDatabase, folder: string): Migrations;
  nodePgMigrate(settings: unknown, client: RecognisedDatabase, folder: string): Migrations;
  prisma(settings: unknown, client: RecognisedDatabase, folder: string): Migrations;
  typeorm(source: TypeormDatabase): Migrations;
  umzug(umzug: UmzugMigrations): Migrations;
  mikroOrm(orm: MikroOrmDatabase): Migrations;
  lucid(runner: LucidMigrations): Migrations;
}

/** A source that was recognised: it goes to its adapter when the code of that is there. */
export interface RecognisedMigrations {
  /** With the folder of the migrations where that was looked for; without it, the one in the settings. */
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

/** Settings with a client and a folder of migrations in them. */
const settings = (
  name: string,
  recogniseClient: (value: unknown) => RecognisedDatabase | undefined,
  adopt: keyof Pick<MigrationAdapters, 'drizzle' | 'nodePgMigrate' | 'prisma'>,
  options: { readonly client: string; readonly folder: string; readonly table?: string },
): Shape<RecognisedMigrations> => ({
  names: [name],
  recognise(value) {
    const given = textOf(property(value, options.folder));
    const isWhole = options.table === undefined || textOf(property(value, options.table)) !== undefined;
    const client = isWhole ? recogniseClient(property(value, options.client)) : undefined;
    if (given === undefined || client === undefined) return undefined;
    return { adopt: (to, folder = given) => to[adopt](value, client, folder) };
  },
});

const shapes: readonly Shape<RecognisedMigrations>[] = [
  knex,
  shape(['Kysely Migrator'], isKyselyMigrator, (migrator) => ({
    adopt: (to) => to.kyselyMigrator(migrator),
  })),
  shape([], isKyselyProps, (props) => ({ adopt: (to) => to.kyselyProps(props) })),
  settings('Drizzle { db, migrationsFolder }', recogniseDrizzle, 'drizzle', {
    client: 'db',
    folder: 'migrationsFolder',
  }),
  settings('node-pg-migrate { dbClient, dir, migrationsTable }', recognisePg, 'nodePgMigrate', {
    client: 'dbClient',
    folder: 'dir',
    table: 'migrationsTable',
  }),
  settings('Prisma { db, migrationsFolder }', recognisePrisma, 'prisma', {
    client: 'db',
    folder: 'migrationsFolder',
  }),
  shape(['TypeORM DataSource'], isTypeorm, (source) => ({ adopt: (to) => to.typeorm(source) })),
  shape(['Umzug'], isUmzug, (umzug) => ({ adopt: (to) => to.umzug(umzug) })),
  shape(['MikroORM'], isMikroOrm, (orm) => ({ adopt: (to) => to.mikroOrm(orm) })),
  shape(['Lucid MigrationRunner'], isLucidRunner, (runner) => ({ adopt: (to) => to.lucid(runner) })),
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
