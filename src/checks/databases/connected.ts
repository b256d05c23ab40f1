import type { Check } from '../../core/heartbeat/check.js';
import { loading } from '../loading.js';
import { type DatabaseClient, type RecognisedDatabase, requireDatabase } from './shapes.js';

export type { DatabaseClient };

/**
 * The check `check_database_connected`: one round trip over the application's own client.
 *
 * @example health.check('orders_database', checkDatabaseConnected(pool));
 */
export function checkDatabaseConnected(client: DatabaseClient): Check {
  return databaseCheck(requireDatabase(client));
}

/** The same of a client that was recognised. */
export function databaseCheck(client: RecognisedDatabase): Check {
  return loading(
    'check_database_connected',
    () => import('../sql.js'),
    ({ databaseConnected }) => databaseConnected(client),
  );
}
