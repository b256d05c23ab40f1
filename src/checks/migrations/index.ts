import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Info, Warning } from '../../core/heartbeat/messages.js';
import { requireKnownOptions } from '../../core/options/read-options.js';
import { named, property } from '../client.js';
import { type DrizzleDatabase, pgPoolBelow } from '../databases/index.js';
import type { MikroOrmDatabase, PrismaDatabase, TypeormDatabase } from '../databases/orms.js';
import type { PgClient, PgPool } from '../databases/postgresql.js';
import type { KnexDatabase } from '../databases/query-builders.js';
import { inFlight, type Starter } from '../flight.js';
import { eager, withErrorListener } from '../listening.js';
import { isAboutQuery, reasonOf } from '../reasons.js';
import { Family } from '../recognise.js';
import { folderOf, isUnusedKnex, unreadablePath } from './folders.js';
import {
  type KyselyMigrator,
  type KyselyMigratorProps,
  libraries,
  type LucidMigrations,
  type MakeMigrations,
  type Migrations,
  type UmzugMigrations,
} from './libraries.js';

/** Whether a client that a container has is one that knows migrations, and not only one that could. */
export const hasMigrations = (value: unknown): value is MigrationSource =>
  migrationSources.is(value) && !isUnusedKnex(value);

/** The values of the option `migrations`: the source of the migrations that your application or migration script uses. */
export type MigrationSource =
  | KnexDatabase
  | KyselyMigrator
  | KyselyMigratorProps
  | DrizzleMigrations
  /** Prisma: a client and the folder of its migrations, `prisma/migrations`. */
  | { readonly db: PrismaDatabase; readonly migrationsFolder: string }
  /** TypeORM: a `DataSource` with migrations. */
  | (TypeormDatabase & { readonly migrations: readonly object[] })
  | UmzugMigrations
  /** MikroORM: an instance with the extension `Migrator`. */
  | (MikroOrmDatabase & { readonly migrator: object })
  | LucidMigrations
  | NodePgMigrations;

export const migrationSources = new Family<MigrationSource, MakeMigrations>('migrations', libraries);

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

/** Options of `checks.checkMigrationsApplied`. */
export interface MigrationOptions {
  /** Where relative migration folders are looked up first. Default: the directory of the main script. */
  readonly root?: string;
}

/**
 * The check `check_migrations_applied`: compares the migrations of this build with those applied to the database. It only reads:
 * no table is created, no lock is taken.
 *
 * @example health.check('orders_migrations', checkMigrationsApplied(knex));
 */
export function checkMigrationsApplied(source: MigrationSource, options: MigrationOptions = {}): Check {
  requireKnownOptions(options, ['root'], 'checks.checkMigrationsApplied');
  return migrationsCheck(source, options.root);
}

/** The same of a value that may be none, given for an option. */
export function migrationsCheck(source: unknown, root: unknown, option?: string): Check {
  const make = migrationSources.require(source, option);
  const roots = typeof root === 'string' ? [root] : [];
  const folder = folderOf(source, roots);
  const migrations = eager(() => make(folder));
  const list = inFlight(async (starter) => migrations().list(starter));
  const check = named('check_migrations_applied', async (context) => {
    try {
      return compare(await list(context));
    } catch (thrown) {
      return [await failure(migrations(), thrown, context, roots)];
    }
  });
  return withErrorListener(
    // Without a second opinion: a build that never passed waits for its migrations, one that has keeps serving.
    withScope(check, 'auto'),
    pgPoolBelow(property(source, 'dbClient') ?? property(source, 'db')),
  );
}

/** An Info if the database cannot be asked, because `check_database_connected` says so; a Warning if it answers. */
async function failure(
  migrations: Migrations,
  thrown: unknown,
  starter: Starter,
  roots: readonly string[],
): Promise<CheckMessage> {
  const path = unreadablePath(thrown, roots);
  const { text: reason, fields } = reasonOf(thrown);
  const text = `Cannot check migrations: ${path === undefined ? '' : `${path}: `}${reason}`;
  const isUnanswered = path === undefined && (await isSilent(migrations, thrown, starter));
  if (isUnanswered) return new Info(text, { id: messageIds.migrationsUnchecked });
  const hint =
    "The database answers. Check the migrations folder in the image, and the user's permissions on the migrations table.";
  return new Warning(text, { id: messageIds.migrationsUnreadable, hint, ...(fields && { fields }) });
}

/** Whether the database gives no answer at all. */
async function isSilent(migrations: Migrations, thrown: unknown, starter: Starter): Promise<boolean> {
  const { database } = migrations;
  if (database === undefined) return !isAboutQuery(thrown);
  try {
    await database.query(database.dialect.ping, starter);
    return false;
  } catch {
    return true;
  }
}

function compare({ known, applied }: Awaited<ReturnType<Migrations['list']>>): readonly CheckMessage[] {
  const [here, there] = [new Set(known), new Set(applied)];
  const unapplied = known.filter((name) => !there.has(name));
  const foreign = applied.filter((name) => !here.has(name));
  const messages: CheckMessage[] = [];
  if (unapplied.length > 0) {
    const hint = "Run this build's migrations, or deploy a build that matches the database.";
    messages.push(
      new Warning(`Unapplied migrations found: ${some(unapplied)}`, {
        id: messageIds.unappliedMigrations,
        hint,
      }),
    );
  }
  if (foreign.length > 0) {
    // While a newer build is rolled out, the older one must keep serving: no reason to fail.
    const hint = 'A newer build migrated this database, or a migration was deleted.';
    const text = `Applied migrations unknown to this build: ${some(foreign)}`;
    messages.push(new Info(text, { id: messageIds.unknownMigrations, hint }));
  }
  return messages;
}

const maxNamed = 10;

function some(names: readonly string[]): string {
  const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `${names.slice(0, maxNamed).join(', ')}${rest}`;
}
