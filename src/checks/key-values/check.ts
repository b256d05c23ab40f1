import type { Check } from '../../core/heartbeat/check.js';
import { loading } from '../loading.js';
import type { RecognisedStore } from './shapes.js';

/** The check `check_redis_connected` of a client that was recognised. */
export function redisCheck(client: RecognisedStore): Check {
  return loading(
    'check_redis_connected',
    () => import('./index.js'),
    ({ redisConnected }) => redisConnected(client),
  );
}
