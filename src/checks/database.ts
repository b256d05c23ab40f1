import { clientUnsupported } from '../core/errors.js';
import { Error as ErrorMessage } from '../core/messages.js';
import type { Check } from '../core/registry.js';
import { describe } from '../core/scrub.js';
import { hasMethods } from './client.js';

/** better-sqlite3, libsql and `node:sqlite`. */
export interface SqliteDatabase {
  prepare(sql: string): { get(): unknown };
  exec(sql: string): unknown;
}

/** A Kysely instance. */
export interface KyselyDatabase {
  selectNoFrom(select: (builder: { val(value: number): { as(name: string): never } }) => never): {
    execute(): Promise<unknown>;
  };
}

/** What option `db` takes. */
export type DatabaseClient = SqliteDatabase | KyselyDatabase;

const supported = ['better-sqlite3', 'libsql', 'node:sqlite', 'Kysely'];

/** The check `check_database_connected`: one round trip over the application's own client. */
export function checkDatabaseConnected(client: DatabaseClient): Check {
  const ping = pingOf(client);
  return async () => {
    try {
      await ping();
      return [];
    } catch (thrown) {
      const text = `Cannot connect to the database: ${describe(thrown)}`;
      return [new ErrorMessage(text, { id: 'health.E001' })];
    }
  };
}

function pingOf(client: DatabaseClient): () => unknown {
  if (isKysely(client)) {
    return () => client.selectNoFrom((builder) => builder.val(1).as('alive')).execute();
  }
  if (isSqlite(client)) return () => client.prepare('SELECT 1').get();
  throw clientUnsupported('db', client, supported);
}

const isKysely = (client: unknown): client is KyselyDatabase =>
  hasMethods(client, 'selectNoFrom', 'executeQuery');
const isSqlite = (client: unknown): client is SqliteDatabase => hasMethods(client, 'prepare', 'exec');
