import { hasMethods, isObject, property, type Shape, textOf } from '../client.js';
import { isPgClient, isPgPool, type PgClient, type PgPool } from '../databases/driver-shapes.js';
import {
  type DrizzleDatabase,
  isDrizzle,
  isKnex,
  isKysely,
  isMikroOrm,
  isPrisma,
  isTypeorm,
  type KnexDatabase,
  type KyselyDatabase,
  type MikroOrmDatabase,
  type PrismaDatabase,
  type TypeormDatabase,
} from '../databases/wrapper-shapes.js';
import { isUnusedKnex } from './folders.js';

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

/** A Prisma client and the folder of its migrations, `prisma/migrations`. */
export interface PrismaMigrations {
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
export function knexSource(value: unknown): KnexMigrationSource | undefined {
  const source = property(property(property(value, 'migrate'), 'config'), 'migrationSource');
  return isKnexSource(source) ? source : undefined;
}

const isKnexSource = (value: unknown): value is KnexMigrationSource =>
  hasMethods(value, 'getMigrations', 'getMigrationName');
export const isKyselyMigrator = (value: unknown): value is KyselyMigrator =>
  hasMethods(value, 'getMigrations');
export const isKyselyProps = (value: unknown): value is KyselyMigratorProps =>
  hasMethods(property(value, 'provider'), 'getMigrations') && isKysely(property(value, 'db'));
export const isDrizzleMigrations = (value: unknown): value is DrizzleMigrations =>
  isDrizzle(property(value, 'db')) && hasText(value, 'migrationsFolder');
export const isNodePgMigrate = (value: unknown): value is NodePgMigrations => {
  const client = property(value, 'dbClient');
  return (
    (isPgPool(client) || isPgClient(client)) && hasText(value, 'dir') && hasText(value, 'migrationsTable')
  );
};
export const isPrismaMigrations = (value: unknown): value is PrismaMigrations =>
  isPrisma(property(value, 'db')) && hasText(value, 'migrationsFolder');
export const isUmzug = (value: unknown): value is UmzugMigrations =>
  hasMethods(value, 'migrations', 'pending', 'executed') && isObject(property(value, 'options'));
export const isLucidRunner = (value: unknown): value is LucidMigrations =>
  hasMethods(value, 'getList', 'run') && 'direction' in value;

const hasText = (value: unknown, name: string) => textOf(property(value, name)) !== undefined;

// In the order of the families in index.ts.
const shapes: readonly Shape[] = [
  { names: ['Knex'], is: (value) => isKnex(value) && knexSource(value) !== undefined },
  { names: ['Kysely Migrator'], is: isKyselyMigrator },
  { names: [], is: isKyselyProps },
  { names: ['Drizzle { db, migrationsFolder }'], is: isDrizzleMigrations },
  { names: ['node-pg-migrate { dbClient, dir, migrationsTable }'], is: isNodePgMigrate },
  { names: ['Prisma { db, migrationsFolder }'], is: isPrismaMigrations },
  { names: ['TypeORM DataSource'], is: isTypeorm },
  { names: ['Umzug'], is: isUmzug },
  { names: ['MikroORM'], is: isMikroOrm },
  { names: ['Lucid MigrationRunner'], is: isLucidRunner },
];

export const migrationNames: readonly string[] = shapes.flatMap(({ names }) => names);

export function isMigrationSource(value: unknown): value is MigrationSource {
  return shapes.some(({ is }) => is(value));
}

/** Whether a client that a container has is one that knows migrations, and not only one that could. */
export function hasMigrations(value: unknown): value is MigrationSource {
  return isMigrationSource(value) && !isUnusedKnex(value);
}
