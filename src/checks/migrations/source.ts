import { OwnError, property, textOf } from '../client.js';
import type { Kind } from '../recognise.js';
import type { Database } from '../databases/database.js';
import type { Starter } from '../flight.js';
import { isMissingTable } from '../reasons.js';
import { host } from '../../core/runtime.js';

/** The migrations that this build knows and those that the database has seen, by name. */
export interface MigrationList {
  readonly known: readonly string[];
  readonly applied: readonly string[];
}

/** A source of migrations, of any library. It reads and never writes. */
export interface Migrations {
  list(starter: Starter): Promise<MigrationList>;
  /** The database it asks, if it shows it: whether that answers at all. */
  readonly database?: () => Database | undefined;
}

/** The table in which a library notes the migrations that were applied. */
export interface MigrationTable {
  readonly table: string;
  readonly schema?: string | undefined;
  readonly column?: string;
  /** A condition on the rows, in SQL. */
  readonly where?: string;
}

/** The migrations that were applied. No table: none was, and it is not for us to create it. */
export async function readApplied(
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

/** Node's files; the libraries that keep migrations in files run nowhere else. */
function files() {
  const fs = host.getBuiltinModule?.('node:fs/promises');
  const path = host.getBuiltinModule?.('node:path');
  if (fs === undefined || path === undefined) throw new OwnError('This runtime has no file system');
  return { fs, path };
}

export async function readText(...path: readonly string[]): Promise<string> {
  const node = files();
  return node.fs.readFile(node.path.join(...path), 'utf8');
}

/** The entries of a folder, sorted; whether each is a folder itself. */
export async function readFolder(
  folder: string,
): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]> {
  const entries = await files().fs.readdir(folder, { withFileTypes: true });
  return entries
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Makes the adapter of a source that was recognised; with the folder of the migrations if it was searched for, without it that of the settings. */
export type MakeMigrations = (folder?: string) => Migrations;

/** Settings in which these are: a client, a folder of migrations, other texts. */
export const settingsKind = (
  name: string,
  recogniseClient: (value: unknown) => (() => Database) | undefined,
  make: (settings: unknown, database: Database, folder: string) => Migrations,
  clientOption: string,
  ...texts: readonly [folder: string, ...others: readonly string[]]
): Kind<MakeMigrations> => ({
  names: [`${name} { ${clientOption}, ${texts.join(', ')} }`],
  recognise(value) {
    const [given, ...others] = texts.map((option) => textOf(property(value, option)));
    const client = recogniseClient(property(value, clientOption));
    if (given === undefined || others.includes(undefined) || client === undefined) return undefined;
    return (folder = given) => make(value, client(), folder);
  },
});
