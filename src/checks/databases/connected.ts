import type { Check } from '../../core/heartbeat/check.js';
import { databaseCheck } from './check.js';
import { requireDatabase } from './shapes.js';
import type { DatabaseClient } from './wrapper-shapes.js';

export type { DatabaseClient };

/**
 * The check `check_database_connected`: one round trip over the application's own client.
 *
 * @example health.check('orders_database', checkDatabaseConnected(pool));
 */
export function checkDatabaseConnected(client: DatabaseClient): Check {
  return databaseCheck(client, requireDatabase(client));
}
