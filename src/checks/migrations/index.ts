import { type CheckMessage, Info, Warning } from '../../core/heartbeat/messages.js';
import type { CheckContext } from '../../core/heartbeat/check.js';
import { inFlight, type Starter } from '../flight.js';
import { isAboutQuery, reasonOf } from '../reasons.js';
import { drizzle, knex, kyselyMigrator, kyselyProps, nodePgMigrate } from './builders.js';
import { unreadablePath } from './folders.js';
import { lucid, mikroOrm, prisma, typeorm, umzug } from './orms.js';
import type { MigrationAdapters, RecognisedMigrations } from './shapes.js';
import type { MigrationList, Migrations } from './source.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

const adapters: MigrationAdapters = {
  knex,
  kyselyMigrator,
  kyselyProps,
  drizzle,
  nodePgMigrate,
  prisma,
  typeorm,
  umzug,
  mikroOrm,
  lucid,
};

/** The code of `check_migrations_applied`, loaded when the check is created. */
export function migrationsApplied(
  source: RecognisedMigrations,
  folder: string | undefined,
  roots: readonly string[],
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const migrations = source.adopt(adapters, folder);
  const list = inFlight(async (starter) => migrations.list(starter));
  return async (context) => {
    try {
      return compare(await list(context));
    } catch (thrown) {
      return [await failure(migrations, thrown, context, roots)];
    }
  };
}

/** An Info if the database cannot be asked, because `check_database_connected` says so; a Warning if it answers. */
async function failure(
  migrations: Migrations,
  thrown: unknown,
  starter: Starter,
  roots: readonly string[],
): Promise<CheckMessage> {
  const path = unreadablePath(thrown, roots);
  const text = `Cannot check migrations: ${path === undefined ? '' : `${path}: `}${reasonOf(thrown).text}`;
  const isUnanswered = path === undefined && (await isSilent(migrations, thrown, starter));
  if (isUnanswered) return new Info(text, { id: messageIds.migrationsUnchecked });
  const hint =
    "The database answers. Check the migrations folder in the image, and the user's permissions on the migrations table.";
  return new Warning(text, { id: messageIds.migrationsUnreadable, hint });
}

/** Whether the database gives no answer at all. */
async function isSilent(migrations: Migrations, thrown: unknown, starter: Starter): Promise<boolean> {
  const database = migrations.database?.();
  if (database === undefined) return !isAboutQuery(thrown);
  try {
    await database.query(database.dialect.ping, starter);
    return false;
  } catch {
    return true;
  }
}

function compare({ known, applied }: MigrationList): readonly CheckMessage[] {
  const seen = new Set(applied);
  const here = new Set(known);
  const unapplied = known.filter((name) => !seen.has(name));
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
