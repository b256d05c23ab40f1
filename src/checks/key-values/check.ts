import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';
import { offer } from '../second-opinion/offer.js';
import { withErrorListener } from '../with-error-listener.js';
import { isNodeRedis } from './client-shapes.js';
import type { RecognisedStore } from './shapes.js';

/** The check `check_redis_connected` of a client that was recognised. */
export function redisCheck(client: unknown, recognised: RecognisedStore): Check {
  const check = loading(
    'check_redis_connected',
    () => import('./index.js'),
    ({ redisConnected }, life) => redisConnected(recognised, life),
  );
  const opinion = offer(
    client,
    () => import('../second-opinion/stores.js'),
    ({ storeOpinion }) => storeOpinion(recognised),
  );
  return withErrorListener(
    withScope(check, 'auto', opinion),
    // ioredis prints them, and continues.
    isNodeRedis(client) ? { client, name: 'redis client', variable: 'client' } : undefined,
  );
}
