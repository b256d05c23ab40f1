import { attempt } from '../../core/runtime.js';
import { call, hasMethods, isObject, listOf, madeOf, property } from '../client.js';
import { orAborted, type Starter } from '../flight.js';
import type { Life } from '../listening.js';
import { ignore, quietly } from '../pools/unserved.js';
import { notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import {
  failureOfFresh,
  type FreshConnection,
  identityOf,
  partFromSockets,
} from '../second-opinion/fresh.js';
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

/** A connection of @adonisjs/redis: its ioredis is inside. */
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
  const connect = (time: number) => overIoredis(client, time);
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
    async ping(starter) {
      if (client.status === 'end') throw ended(await failureOfAnother(starter));
      // An offline client queues commands; `wait` is a lazy one, which connects with its first command.
      if (client.status !== 'ready' && client.status !== 'wait') return failOffline(client.status, starter);
      if (!isBlocked(client))
        return unlessLost(client, ['close', 'end'], isCluster(client) ? pingCluster() : ping());
      const failure = await failureOfAnother(starter);
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
  const inside = () => property('ioConnection' in redis ? redis : redis.connection(), 'ioConnection');
  // Looked up for each run: the service replaces a client that no longer reconnects when it is next needed.
  const current = madeOf(inside, (client) => {
    if (!isIoredis(client)) throw notOpen('client');
    return { client, store: ioredisStore(client, life.next()) };
  });
  // Connects, so that the first question finds a connection.
  attempt(current);
  return {
    async ping(starter) {
      const { client, store } = current();
      // One that has only just begun to connect.
      if (client.status.startsWith('connect')) await settled(client, starter);
      return store.ping(starter);
    },
    connect: (time) => current().store.connect?.(time),
  };
}

/** Waits until a client has connected, or could not. */
function settled(client: IoredisClient, { signal }: Starter): Promise<void> {
  const connected = new Promise<void>(() => {});
  return orAborted(unlessLost(client, ['ready', 'close', 'end'], connected), signal).catch(ignore);
}

/** A duplicate of an ioredis or iovalkey, or one with sentinels: the same settings, without the ways to try again. */
function overIoredis(client: IoredisClient, time: number): FreshConnection | undefined {
  // A cluster would connect to every server.
  if (isCluster(client)) return undefined;
  const made = call(client, 'duplicate', {
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
  if (!hasMethods(made, 'connect', 'ping', 'disconnect')) return undefined;
  const options = property(made, 'options');
  // The rejection only says that it is closed; the event has the reason.
  let cause: unknown;
  call(made, 'on', 'error', (error: unknown) => (cause ??= error));
  return {
    answered: connectAndPing(made).catch((thrown: unknown) => {
      throw cause ?? thrown;
    }),
    identity: identityOf(options, ...listOf(property(options, 'sentinels'))),
    close() {
      const sockets = [property(made, 'stream'), property(made, 'connector', 'stream')];
      void quietly(() => call(made, 'disconnect'));
      return partFromSockets(...sockets);
    },
  };
}

export const ioredis = [
  kind(['ioredis', 'iovalkey'], isIoredis, ioredisStore),
  kind(['@adonisjs/redis'], isAdonisRedis, adonisStore),
];
