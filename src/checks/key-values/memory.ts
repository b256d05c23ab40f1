import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';
import { thresholdsIn, type Thresholds } from '../thresholds.js';
import type { RedisClient } from './client-shapes.js';
import { requireRedis } from './shapes.js';

/**
 * A check of the memory of Redis against its `maxmemory`, or against all memory of its machine if that is not set: Warning
 * `health.W010`, Error `health.E025`. Of a cluster the fullest server counts. Shares, 0.8 and 0.95 by default.
 *
 * @example health.check('redis_memory', checks.redisMemory(redis, { warn: 0.7, error: 0.9 }));
 */
export function redisMemory(client: RedisClient, options: Thresholds = {}): Check {
  const thresholds = thresholdsIn('redisMemory', options, [], 1, { warn: 0.8, error: 0.95 });
  const recognised = requireRedis(client, 'redisMemory');
  const check = loading(
    'redis_memory',
    () => import('./index.js'),
    ({ memoryUsed }, life) => memoryUsed(recognised, thresholds, life),
  );
  return withScope(check, 'shared');
}
