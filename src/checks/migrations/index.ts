import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Info, Warning } from '../../core/heartbeat/messages.js';
import { requireKnownOptions } from '../../core/options/read-options.js';
import { named, property } from '../client.js';
import type { Database } from '../databases/database.js';
import { pgPoolBelow } from '../databases/index.js';
import { eager, withErrorListener } from '../listening.js';
import { isMissingTable, reasonOf } from '../reasons.js';
import { oneAtATime } from '../round-trip.js';
import { folderOf, unreadablePath } from './folders.js';
import { type MigrationSource, migrationSources, type MigrationTable } from './libraries.js';

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

/** The same for any value of an option. */
export function migrationsCheck(source: unknown, root: unknown, option?: string): Check {
  const make = migrationSources.require(source, option);
  const roots = typeof root === 'string' ? [root] : [];
  const folder = folderOf(source, roots);
  const migrations = eager(() => make(folder));
  // Its queries after a failure too, so that they use one connection.
  const messages = oneAtATime(async (signal) => {
    const { database, table, known, nameOf = String } = migrations();
    try {
      const applied = await readApplied(database, table(), signal);
      return compare(await known(), applied.map(nameOf));
    } catch (thrown) {
      return [await failure(database, thrown, signal, roots)];
    }
  });
  const check = named<Check>('check_migrations_applied', async ({ signal }) => messages(signal));
  return withErrorListener(
    // Without a second opinion: a new instance waits for its migrations, one that has passed keeps serving.
    withScope(check, 'auto'),
    pgPoolBelow(property(source, 'dbClient') ?? property(source, 'db')),
  );
}

/** The applied migrations: none if there is no table, which is not created here. */
async function readApplied(
  database: Database,
  { table, schema, column = 'name', where }: MigrationTable,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { quote } = database.dialect;
  const quoted = (name: string) => `${quote}${name.replaceAll(quote, quote.repeat(2))}${quote}`;
  const from = schema === undefined ? quoted(table) : `${quoted(schema)}.${quoted(table)}`;
  const condition = where === undefined ? '' : ` WHERE ${where}`;
  const sql = `SELECT ${quoted(column)} AS ${quoted('name')} FROM ${from}${condition}`;
  try {
    return (await database.query(sql, signal)).map((row) => String(row['name']));
  } catch (thrown) {
    if (isMissingTable(thrown)) return [];
    throw thrown;
  }
}

/** An Info if the database cannot be queried, because `check_database_connected` says so; a Warning if it answers. */
async function failure(
  database: Database,
  thrown: unknown,
  signal: AbortSignal,
  roots: readonly string[],
): Promise<CheckMessage> {
  const path = unreadablePath(thrown, roots);
  const { text: reason, fields } = reasonOf(thrown);
  const text = `Cannot check migrations: ${path === undefined ? '' : `${path}: `}${reason}`;
  const answers = () =>
    database.query(database.dialect.ping, signal).then(
      () => true,
      () => false,
    );
  if (path === undefined && !(await answers())) return new Info(text, { id: messageIds.migrationsUnchecked });
  const hint =
    "The database answers. Check the migrations folder in the image, and the user's permissions on the migrations table.";
  return new Warning(text, { id: messageIds.migrationsUnreadable, hint, fields });
}

function compare(known: readonly string[], applied: readonly string[]): readonly CheckMessage[] {
  const [here, there] = [new Set(known), new Set(applied)];
  const unapplied = known.filter((name) => !there.has(name));
  const unknown = applied.filter((name) => !here.has(name));
  const messages: CheckMessage[] = [];
  if (unapplied.length > 0) {
    const hint = "Run this build's migrations, or deploy a build that matches the database.";
    const text = `Unapplied migrations found: ${some(unapplied)}`;
    messages.push(new Warning(text, { id: messageIds.unappliedMigrations, hint }));
  }
  if (unknown.length > 0) {
    // Not a failure: while a newer build is rolled out, the older one must keep serving.
    const hint = 'A newer build migrated this database, or a migration was deleted.';
    const text = `Applied migrations unknown to this build: ${some(unknown)}`;
    messages.push(new Info(text, { id: messageIds.unknownMigrations, hint }));
  }
  return messages;
}

const maxNamed = 10;

function some(names: readonly string[]): string {
  const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `${names.slice(0, maxNamed).join(', ')}${rest}`;
}
