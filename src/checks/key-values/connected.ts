import type { Check } from '../../core/heartbeat/check.js';
import { loading } from '../loading.js';
import { type RecognisedStore, type RedisClient, requireRedis } from './shapes.js';

export type { RedisClient };

/**
 * The check `check_redis_connected`: one PING over the application's own client.
 *
 * @example health.check('session_store', checkRedisConnected(redis));
 */
export function checkRedisConnected(client: RedisClient): Check {
  return redisCheck(requireRedis(client));
}

/** The same of a client that was recognised. */
export function redisCheck(client: RecognisedStore): Check {
  return loading(
    'check_redis_connected',
    () => import('./index.js'),
    ({ redisConnected }) => redisConnected(client),
  );
}
