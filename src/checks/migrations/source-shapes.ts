import type { PgClient, PgPool } from '../databases/driver-shapes.js';
import type {
  DrizzleDatabase,
  KnexDatabase,
  KyselyDatabase,
  MikroOrmDatabase,
  PrismaDatabase,
  TypeormDatabase,
} from '../databases/wrapper-shapes.js';

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

/** The values of the option `migrations`: the source of the migrations that your application or migration script uses. */
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
