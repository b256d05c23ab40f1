import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { Info } from '../../core/heartbeat/messages.js';
import { clientCheck, type Life, withErrorListener } from '../listening.js';
import { type Findings, messageOfFailure, reasonOf, reportingBy } from '../reasons.js';
import { Family } from '../recognise.js';
import { oneAtATime } from '../round-trip.js';
import { opinionBy } from '../second-opinion/opinion.js';
import { glide, type GlideClient } from './glide.js';
import { type AdonisRedis, ioredis, type IoredisClient } from './ioredis.js';
import { isNodeRedis, nodeRedis, type NodeRedisClient } from './node-redis.js';
import type { KeyValueStore } from './store.js';

/** The values of the option `redis`: a client of any of these libraries, cluster and sentinel clients included. */
export type RedisClient = IoredisClient | AdonisRedis | NodeRedisClient | GlideClient;

export const stores = new Family<RedisClient, (life: Life) => KeyValueStore>('redis', [
  ...ioredis,
  nodeRedis,
  glide,
]);

/**
 * The check `check_redis_connected`: one PING over the application's own client.
 *
 * @example health.check('session_store', checkRedisConnected(redis));
 */
export function checkRedisConnected(client: RedisClient): Check {
  return redisCheck(client);
}

/** The same for any value of an option. */
export function redisCheck(client: unknown, option?: string): Check {
  const make = stores.require(client, option);
  let connect: KeyValueStore['connect'];
  const check = clientCheck('check_redis_connected', (life) => {
    const store = make(life);
    ({ connect } = store);
    const ping = oneAtATime(async (signal) => {
      const answer = await store.ping(signal);
      return answer === 'pong' ? [] : [new Info(blockedText, { id: messageIds.redisBlocked })];
    });
    return reportingBy((thrown) => messageOfFailure(findings, reasonOf(thrown)), ping);
  });
  return withErrorListener(
    withScope(check, 'auto', opinionBy(client, { connect: (time) => connect?.(time) })),
    // ioredis prints them, and continues.
    isNodeRedis(client) ? { client, name: 'redis client', variable: 'client' } : undefined,
  );
}

const blockedText =
  'The server answers but this client does not: it is waiting in a blocking command, or its connection is dead';

const hint = 'Check that the server is up, and that the host and port in the settings are right.';

const findings: Findings = {
  unreachable: [messageIds.redisUnreachable, 'Cannot connect to redis', hint],
  full: [messageIds.redisUnreachable, 'Cannot connect to redis', hint],
  misconfigured: [
    messageIds.redisMisconfigured,
    'Redis misconfigured',
    'Compare the user, password and database number with those on the server.',
  ],
  broken: [
    messageIds.redisPingFailed,
    'Redis ping failed',
    "The connection is open but does not respond correctly: see the server's log.",
  ],
  missing: [
    messageIds.redisMissing,
    'Redis client missing',
    'Open the client before the application serves requests, and keep it open.',
  ],
  down: [
    messageIds.redisClusterDown,
    'Redis cluster is down',
    'Run CLUSTER NODES: servers are down, or slots are unassigned.',
  ],
  other: [messageIds.redisError, 'Redis error'],
};
