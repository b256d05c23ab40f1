import type { Check } from '../../core/heartbeat/check.js';
import { loading } from '../loading.js';
import type { RecognisedDatabase } from './shapes.js';

/** The check `check_database_connected` of a client that was recognised. */
export function databaseCheck(client: RecognisedDatabase): Check {
  return loading(
    'check_database_connected',
    () => import('../sql.js'),
    ({ databaseConnected }) => databaseConnected(client),
  );
}
