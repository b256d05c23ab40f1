import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';
import { offer } from '../second-opinion/offer.js';
import { withErrorListener } from '../with-error-listener.js';
import { pgPoolBelow, poolBelow, type RecognisedDatabase } from './shapes.js';

/** The check `check_database_connected` of a client that was recognised. */
export function databaseCheck(client: unknown, recognised: RecognisedDatabase): Check {
  const check = loading(
    'check_database_connected',
    () => import('../database-checks.js'),
    ({ databaseConnected }) => databaseConnected(recognised),
  );
  const opinion = offer(
    poolBelow(client),
    () => import('../second-opinion/databases.js'),
    ({ databaseOpinion }) => databaseOpinion(recognised),
  );
  return withErrorListener(withScope(check, 'auto', opinion), pgPoolBelow(client));
}
