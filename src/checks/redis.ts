import { clientUnsupported } from '../core/errors.js';
import { Error as ErrorMessage } from '../core/messages.js';
import type { Check } from '../core/registry.js';
import { describe } from '../core/scrub.js';
import { hasMethods } from './client.js';

/** What option `redis` takes: ioredis or node-redis. */
export interface RedisClient {
  ping(): Promise<unknown>;
}

/** The check `check_redis_connected`: one PING over the application's own client. */
export function checkRedisConnected(client: RedisClient): Check {
  if (!hasMethods(client, 'ping')) throw clientUnsupported('redis', client, ['ioredis', 'redis']);
  return async () => {
    try {
      const answer = await client.ping();
      return answer === 'PONG' ? [] : [new ErrorMessage('Redis ping failed', { id: 'health.E007' })];
    } catch (thrown) {
      const text = `Cannot connect to redis: ${describe(thrown)}`;
      return [new ErrorMessage(text, { id: 'health.E004' })];
    }
  };
}
