import { attempt } from '../../core/runtime.js';
import { adapterOf, call, hasMethods, isObject, listOf, property } from '../client.js';
import type { Life } from '../listening.js';
import { ignore, quietly } from '../pools/abandoned.js';
import { notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import { orAborted } from '../round-trip.js';
import { abandonSockets, failureOfFresh, type FreshConnection, identityOf } from '../second-opinion/fresh.js';
import {
  askCluster,
  connectAndPing,
  type Emitter,
  ended,
  type KeyValueStore,
  offlineSince,
  oneNodeAtATime,
  pong,
  unlessLost,
} from './store.js';

/** `Redis` or `Cluster` of ioredis or iovalkey. */
export interface IoredisClient extends Emitter {
  readonly status: string;
  ping(): Promise<string>;
}

interface AdonisConnection {
  readonly ioConnection: IoredisClient;
}

/** The `redis` service of AdonisJS, for its default connection, or one of its connections. */
export type AdonisRedis = AdonisConnection | { connection(): AdonisConnection; quitAll(): Promise<void> };

const isIoredis = (value: unknown): value is IoredisClient =>
  hasMethods(value, 'ping', 'once', 'removeListener', 'disconnect') &&
  'status' in value &&
  typeof value.status === 'string';

const isAdonisRedis = (value: unknown): value is AdonisRedis =>
  (isObject(value) && 'ioConnection' in value) || hasMethods(value, 'connection', 'quitAll');

function ioredisStore(client: IoredisClient, life: Life): KeyValueStore {
  const failOffline = offlineSince(client, life);
  const connect = (time: number) => connectIoredis(client, time);
  const failureOfAnother = failureOfFresh(connect);
  const askOne = oneNodeAtATime<IoredisClient>();
  const ping = async () => pong(await client.ping());
  /** One connected server answers for all. */
  const pingCluster = () => {
    const ready = listOf(call(client, 'nodes', 'all'))
      .filter(isIoredis)
      .filter(({ status }) => status === 'ready');
    const nodes = ready.length === 0 ? [client] : ready;
    return askCluster(() => askOne(nodes, async (node) => call(node, 'cluster', 'INFO')), ping);
  };
  return {
    connect,
    async ping(signal) {
      if (client.status === 'end') throw ended(await failureOfAnother(signal));
      // An offline client queues commands; `wait` is a lazy one, which connects with its first command.
      if (client.status !== 'ready' && client.status !== 'wait') return failOffline(client.status, signal);
      if (!isBlocked(client))
        return unlessLost(client, ['close', 'end'], isCluster(client) ? pingCluster() : ping());
      const failure = await failureOfAnother(signal);
      if (failure !== undefined) throw failure;
      return 'pong';
    },
  };
}

const isCluster = (client: IoredisClient) => property(client, 'isCluster') === true;

/** Whether a command is under way that waits for others: a ping would wait with it. */
function isBlocked(client: IoredisClient): boolean {
  const command = property(call(property(client, 'commandQueue'), 'peekFront'), 'command');
  const name = String(property(command, 'name')).toLowerCase();
  if (!name.startsWith('xread')) return /^(b(l|r|z)\w*|wait|waitaof)$/.test(name);
  return listOf(property(command, 'args')).some((each) => /^block$/i.test(String(each)));
}

function adonisStore(redis: AdonisRedis, life: Life): KeyValueStore {
  const inner = () => property('ioConnection' in redis ? redis : redis.connection(), 'ioConnection');
  // Read for each ping: the service replaces a client that no longer reconnects when it is next needed.
  const current = adapterOf(inner, (client) => {
    if (!isIoredis(client)) throw notOpen('client');
    return { client, store: ioredisStore(client, life.next()) };
  });
  // Connects, so that the first ping has a connection.
  attempt(current);
  return {
    async ping(signal) {
      const { client, store } = current();
      // Wait for a connection that is just being made.
      if (client.status.startsWith('connect')) {
        const never = new Promise<void>(() => {});
        await orAborted(unlessLost(client, ['ready', 'close', 'end'], never), signal).catch(ignore);
      }
      return store.ping(signal);
    },
    connect: (time) => current().store.connect?.(time),
  };
}

/** A duplicate of an ioredis or iovalkey, or one with sentinels: the same settings, without retries. */
function connectIoredis(client: IoredisClient, time: number): FreshConnection | undefined {
  // A cluster would connect to every server.
  if (isCluster(client)) return undefined;
  const copy = call(client, 'duplicate', {
    lazyConnect: true,
    retryStrategy: null,
    sentinelRetryStrategy: null,
    reconnectOnError: null,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
    failoverDetector: false,
    updateSentinels: false,
    connectTimeout: Math.ceil(time),
  });
  if (!hasMethods(copy, 'connect', 'ping', 'disconnect')) return undefined;
  const options = property(copy, 'options');
  // The rejection only says that it is closed; the event has the reason.
  let cause: unknown;
  call(copy, 'on', 'error', (error: unknown) => (cause ??= error));
  return {
    answered: connectAndPing(copy).catch((thrown: unknown) => {
      throw cause ?? thrown;
    }),
    identity: identityOf(options, ...listOf(property(options, 'sentinels'))),
    close() {
      const sockets = [property(copy, 'stream'), property(copy, 'connector', 'stream')];
      void quietly(() => call(copy, 'disconnect'));
      return abandonSockets(...sockets);
    },
  };
}

export const ioredis = [
  kind(['ioredis', 'iovalkey'], isIoredis, ioredisStore),
  kind(['@adonisjs/redis'], isAdonisRedis, adonisStore),
];
