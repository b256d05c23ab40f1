import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, type Fault, Info } from '../../core/heartbeat/messages.js';
import { inFlight } from '../flight.js';
import { clientCheck, type Life, withErrorListener } from '../listening.js';
import { type Finding, messageFor, reasonOf } from '../reasons.js';
import { Family } from '../recognise.js';
import { opinionBy } from '../second-opinion/opinion.js';
import { judge, megabytes, percent, type Thresholds, thresholdsIn } from '../thresholds.js';
import { glide, type GlideClient } from './glide.js';
import { type AdonisRedis, ioredis, type IoredisClient } from './ioredis.js';
import { isNodeRedis, nodeRedis, type NodeRedisClient } from './node-redis.js';
import { type KeyValueStore, Unavailable } from './store.js';

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

const findings: Readonly<Record<Fault, Finding>> = {
  unreachable: [messageIds.redisUnreachable, 'Cannot connect to redis', hint],
  full: [messageIds.redisUnreachable, 'Cannot connect to redis', hint],
  exhausted: [messageIds.redisError, 'Redis error'],
  misconfigured: [messageIds.redisMisconfigured, 'Redis misconfigured', loginHint],
  broken: [messageIds.redisPingFailed, 'Redis ping failed', pingHint],
  other: [messageIds.redisError, 'Redis error'],
};

/** The words of the client itself. */
const unavailable: Readonly<Record<Unavailable['why'], Finding>> = {
  unreachable: findings.unreachable,
  broken: findings.broken,
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
    return messageFor(unavailable[thrown.why], { text: thrown.message }, 'other');
  const reason = reasonOf(thrown);
  return messageFor(findings[reason.fault], reason, reason.fault);
}

/**
 * A check of the memory of Redis against its `maxmemory`, or against all memory of its machine if that is not set:
 * `health.E025`. Of a cluster the fullest server counts. Shares, 0.8 and 0.95 by default.
 *
 * @example health.check('redis_memory', checks.redisMemory(redis, { warn: 0.7, error: 0.9 }));
 */
export function redisMemory(client: RedisClient, options: Thresholds = {}): Check {
  const thresholds = thresholdsIn('redisMemory', options, [], 1, { warn: 0.8, error: 0.95 });
  const make = stores.require(client, 'redisMemory');
  const check = clientCheck('redis_memory', (life) => {
    const store = make(life);
    const readMemory = inFlight(async (starter) => {
      // A client that is offline would queue the question.
      await store.ping(starter);
      const servers = (await store.memory()).map(memoryOf).toSorted((a, b) => b.ratio - a.ratio);
      return servers[0] ?? memoryOf('');
    });
    return async (context) => {
      try {
        const { used, available, ratio } = await readMemory(context);
        const text = (threshold: number) =>
          `Redis uses ${megabytes(used)} of ${megabytes(available)} memory, ${percent(ratio)}, above ${percent(threshold)}`;
        return judge(ratio, thresholds, messageIds.redisMemory, text);
      } catch (thrown) {
        const { text } = reasonOf(thrown);
        return [messageFor([messageIds.redisMemory, 'Cannot read the memory usage of redis'], { text })];
      }
    };
  });
  return withScope(check, 'shared');
}

/** The bytes that a server uses and may use, by its answer to `INFO memory`. */
function memoryOf(info: string) {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const used = number('used_memory');
  const available = number('maxmemory') || number('total_system_memory');
  return { used, available, ratio: available === 0 ? 0 : used / available };
}
