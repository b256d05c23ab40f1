import type { Check } from '../../core/heartbeat/check.js';
import { redisCheck } from './check.js';
import type { RedisClient } from './client-shapes.js';
import { requireRedis } from './shapes.js';

export type { RedisClient };

/**
 * The check `check_redis_connected`: one PING over the application's own client.
 *
 * @example health.check('session_store', checkRedisConnected(redis));
 */
export function checkRedisConnected(client: RedisClient): Check {
  return redisCheck(client, requireRedis(client));
}
