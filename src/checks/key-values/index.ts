import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { Error as ErrorMessage, type Fault, Info } from '../../core/heartbeat/messages.js';
import { clientUnsupported } from '../errors.js';
import { inFlight } from '../flight.js';
import { clientCheck, type Life, withErrorListener } from '../listening.js';
import { type Reason, reasonOf } from '../reasons.js';
import { namesOf, recognise } from '../recognise.js';
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

export const redisNames = namesOf(kinds);

export const recogniseRedis = (value: unknown): MakeStore | undefined => recognise<MakeStore>(kinds, value);

export const isRedisClient = (value: unknown): value is RedisClient => recogniseRedis(value) !== undefined;

/** Rejects a value that is not a client, at once. */
function requireRedis(client: unknown, option = 'redis'): MakeStore {
  const recognised = recogniseRedis(client);
  if (recognised === undefined) throw clientUnsupported(option, client, redisNames);
  return recognised;
}

/**
 * The check `check_redis_connected`: one PING over the application's own client.
 *
 * @example health.check('session_store', checkRedisConnected(redis));
 */
export function checkRedisConnected(client: RedisClient): Check {
  return redisCheck(client, requireRedis(client));
}

/** The same of a client that was recognised. */
export function redisCheck(client: unknown, make: MakeStore): Check {
  let connect: KeyValueStore['connect'];
  const check = clientCheck('check_redis_connected', (life) => {
    const store = make(life);
    ({ connect } = store);
    store.listen?.();
    const ping = inFlight(async (starter) => store.ping(starter));
    return async (context) => {
      try {
        const answer = await ping(context);
        if (answer === 'pong') return [];
        if (answer === 'blocked') return [new Info(blockedText, { id: messageIds.redisBlocked })];
        return [message(messageIds.redisPingFailed, 'ping failed', 'the reply was not a ping reply')];
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

const findings: Readonly<Record<Fault, readonly [id: string, summary: string]>> = {
  unreachable: [messageIds.redisUnreachable, 'Cannot connect to'],
  full: [messageIds.redisUnreachable, 'Cannot connect to'],
  exhausted: [messageIds.redisError, 'error'],
  misconfigured: [messageIds.redisMisconfigured, 'misconfigured'],
  broken: [messageIds.redisPingFailed, 'ping failed'],
  other: [messageIds.redisError, 'error'],
};

function failure(thrown: unknown): ErrorMessage {
  if (thrown instanceof Unavailable) return message(thrown.id, thrown.summary, thrown.message);
  const { fault, text, fields } = reasonOf(thrown);
  const [id, summary] = findings[fault];
  return message(id, summary, text, fault, fields);
}

const hints: Readonly<Record<string, string>> = {
  [messageIds.redisUnreachable]:
    'Check that the server is up, and that the host and port in the settings are right.',
  [messageIds.redisMissing]: 'Open the client before the application serves requests, and keep it open.',
  [messageIds.redisMisconfigured]: 'Compare the user, password and database number with those on the server.',
  [messageIds.redisClusterDown]: 'Run CLUSTER NODES: servers are down, or slots are unassigned.',
  [messageIds.redisPingFailed]:
    "The connection is open but does not respond correctly: see the server's log.",
};

function message(
  id: string,
  summary: string,
  text: string,
  fault: Fault = 'other',
  fields?: Reason['fields'],
): ErrorMessage {
  const subject = summary.endsWith(' to') ? `${summary} redis` : `Redis ${summary}`;
  const hint = hints[id];
  return new ErrorMessage(`${subject}: ${text}`, {
    id,
    fault,
    ...(hint !== undefined && { hint }),
    ...(fields && { fields }),
  });
}

/** Bytes a server uses, and may use. */
interface Memory {
  readonly used: number;
  readonly available: number;
  readonly ratio: number;
}

/**
 * A check of the memory of Redis against its `maxmemory`, or against all memory of its machine if that is not set:
 * `health.E025`. Of a cluster the fullest server counts. Shares, 0.8 and 0.95 by default.
 *
 * @example health.check('redis_memory', checks.redisMemory(redis, { warn: 0.7, error: 0.9 }));
 */
export function redisMemory(client: RedisClient, options: Thresholds = {}): Check {
  const thresholds = thresholdsIn('redisMemory', options, [], 1, { warn: 0.8, error: 0.95 });
  const make = requireRedis(client, 'redisMemory');
  const check = clientCheck('redis_memory', (life) => {
    const store = make(life);
    const readMemory = inFlight(async (starter) => {
      // A client that is offline would queue the question.
      await store.ping(starter);
      return fullest((await store.memory()).map(memoryOf));
    });
    return async (context) => {
      try {
        const { used, available, ratio } = await readMemory(context);
        const text = (threshold: number) =>
          `Redis uses ${megabytes(used)} of ${megabytes(available)} memory, ${percent(ratio)}, above ${percent(threshold)}`;
        return judge(ratio, thresholds, messageIds.redisMemory, text);
      } catch (thrown) {
        const reason = thrown instanceof Unavailable ? thrown.message : reasonOf(thrown).text;
        return [
          new ErrorMessage(`Cannot read the memory usage of redis: ${reason}`, {
            id: messageIds.redisMemory,
          }),
        ];
      }
    };
  });
  return withScope(check, 'shared');
}

function memoryOf(info: string): Memory {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const used = number('used_memory');
  const available = number('maxmemory') || number('total_system_memory');
  return { used, available, ratio: available === 0 ? 0 : used / available };
}

function fullest(all: readonly Memory[]): Memory {
  return all.toSorted((a, b) => b.ratio - a.ratio)[0] ?? memoryOf('');
}
