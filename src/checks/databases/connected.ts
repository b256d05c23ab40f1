import type { Check } from '../../core/heartbeat/check.js';
import { loading } from '../loading.js';
import { type DatabaseClient, requireDatabase } from './shapes.js';

export type { DatabaseClient };

/**
 * The check `check_database_connected`: one round trip over the application's own client.
 *
 * @example health.check('orders_database', checkDatabaseConnected(pool));
 */
export function checkDatabaseConnected(client: DatabaseClient): Check {
  requireDatabase(client);
  return loading(
    'check_database_connected',
    () => import('../sql.js'),
    ({ databaseConnected }) => databaseConnected(client),
  );
}
