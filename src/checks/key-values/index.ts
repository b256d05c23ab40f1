import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, type Fault, Info } from '../../core/heartbeat/messages.js';
import { inFlight } from '../flight.js';
import { clientCheck, type Life, withErrorListener } from '../listening.js';
import { type Finding, messageFor, reasonOf, Unavailable } from '../reasons.js';
import { Family } from '../recognise.js';
import { opinionBy } from '../second-opinion/opinion.js';
import { glide, type GlideClient } from './glide.js';
import { type AdonisRedis, ioredis, type IoredisClient } from './ioredis.js';
import { isNodeRedis, nodeRedis, type NodeRedisClient } from './node-redis.js';
import type { KeyValueStore } from './store.js';

/** The values of the option `redis`: a client of any of these libraries, cluster and sentinel clients included. */
export type RedisClient = IoredisClient | AdonisRedis | NodeRedisClient | GlideClient;

/** Makes the adapter of a client that was recognised. */
export type MakeStore = (life: Life) => KeyValueStore;

const kinds = [...ioredis, nodeRedis, glide];

export const stores = new Family<RedisClient, MakeStore>('redis', kinds);

/**
 * The check `check_redis_connected`: one PING over the application's own client.
 *
 * @example health.check('session_store', checkRedisConnected(redis));
 */
export function checkRedisConnected(client: RedisClient): Check {
  return redisCheck(client);
}

/** The same of a value that may be none, given for an option. */
export function redisCheck(client: unknown, option?: string): Check {
  const make = stores.require(client, option);
  let connect: KeyValueStore['connect'];
  const check = clientCheck('check_redis_connected', (life) => {
    const store = make(life);
    ({ connect } = store);
    const ping = inFlight(async (starter) => store.ping(starter));
    return async (context) => {
      try {
        const answer = await ping(context);
        return answer === 'pong' ? [] : [new Info(blockedText, { id: messageIds.redisBlocked })];
      } catch (thrown) {
        return [failure(thrown)];
      }
    };
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
const pingHint = "The connection is open but does not respond correctly: see the server's log.";
const loginHint = 'Compare the user, password and database number with those on the server.';

const findings: Readonly<Record<Fault | Unavailable['fault'], Finding>> = {
  unreachable: [messageIds.redisUnreachable, 'Cannot connect to redis', hint],
  full: [messageIds.redisUnreachable, 'Cannot connect to redis', hint],
  exhausted: [messageIds.redisError, 'Redis error'],
  misconfigured: [messageIds.redisMisconfigured, 'Redis misconfigured', loginHint],
  broken: [messageIds.redisPingFailed, 'Redis ping failed', pingHint],
  other: [messageIds.redisError, 'Redis error'],
  blocked: [messageIds.redisError, 'Redis error'],
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
};

function failure(thrown: unknown): CheckMessage {
  if (thrown instanceof Unavailable)
    return messageFor(findings[thrown.fault], { text: thrown.message }, 'other');
  const reason = reasonOf(thrown);
  return messageFor(findings[reason.fault], reason, reason.fault);
}
