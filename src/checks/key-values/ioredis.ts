import { call, hasMethods, isObject, property } from '../client.js';
import { orAborted, type Starter } from '../flight.js';
import { addListener, type Life } from '../listening.js';
import { quietly } from '../pools/lending.js';
import { kind } from '../recognise.js';
import { type FreshConnection, identityOf, partFromSockets } from '../second-opinion/fresh.js';
import {
  closed,
  clusterState,
  connectAndPing,
  type Emitter,
  ended,
  isForbidden,
  type KeyValueStore,
  offline,
  oneNodeAtATime,
  outageOf,
  pong,
  type Pong,
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
  const outage = outageOf(client, life);
  const askOne = oneNodeAtATime();
  return {
    listen: outage.listen,
    connect: (time) => overIoredis(client, time),
    async ping(starter) {
      if (client.status === 'end') {
        const options = property(client, 'options');
        // With sentinels, the address is not that of the server.
        return ended(property(options, 'sentinels') ? undefined : options, starter);
      }
      // An offline client queues commands; `wait` is a lazy one, which connects with its first command.
      if (client.status !== 'ready' && client.status !== 'wait') {
        throw (await outage.reason(starter)) ?? offline(client.status);
      }
      if (isBlocked(client)) return pingByDuplicate(client, starter);
      return unlessLost(
        client,
        ['close', 'end'],
        isIoredisCluster(client) ? pingCluster(client, askOne) : ping(client),
      );
    },
    memory: () =>
      Promise.all(mastersOf(client).map(async (each) => String(await call(each, 'info', 'memory')))),
  };
}

const ping = async (client: IoredisClient) => pong(await client.ping());

const isIoredisCluster = (client: IoredisClient) => property(client, 'isCluster') === true;

const mastersOf = (client: IoredisClient) =>
  isIoredisCluster(client) ? nodesOf(client, 'master') : [client];

function nodesOf(client: IoredisClient, role: 'all' | 'master'): readonly IoredisClient[] {
  const nodes = call(client, 'nodes', role);
  return Array.isArray(nodes) ? nodes.filter(isIoredis) : [];
}

/** One connected server answers for all: pings are answered even by a cluster that is down. */
async function pingCluster(client: IoredisClient, askOne: ReturnType<typeof oneNodeAtATime>): Promise<Pong> {
  const ready = nodesOf(client, 'all').filter(({ status }) => status === 'ready');
  try {
    const nodes = ready.length === 0 ? [client] : ready;
    return clusterState(await askOne(nodes, async (node) => call(node, 'cluster', 'INFO')));
  } catch (thrown) {
    if (isForbidden(thrown)) return ping(client);
    throw thrown;
  }
}

const blocking = /^(b(l|r|z)\w*|wait|waitaof)$/;

/** Whether a command is under way that waits for others: a ping would wait with it. */
function isBlocked(client: IoredisClient): boolean {
  const command = property(call(property(client, 'commandQueue'), 'peekFront'), 'command');
  const name = String(property(command, 'name')).toLowerCase();
  if (blocking.test(name)) return true;
  const given = property(command, 'args');
  return (
    name.startsWith('xread') && Array.isArray(given) && given.some((each) => /^block$/i.test(String(each)))
  );
}

/** Asks over a connection of its own, with the same settings, which is closed again. */
async function pingByDuplicate(client: IoredisClient, { signal }: Starter): Promise<Pong> {
  const duplicate = call(client, 'duplicate', {
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
  });
  if (!isIoredis(duplicate)) return 'blocked';
  duplicate.on('error', () => {});
  try {
    return await orAborted(ping(duplicate), signal);
  } finally {
    call(duplicate, 'disconnect');
  }
}

function adonisStore(redis: AdonisRedis, life: Life): KeyValueStore {
  let known: { readonly client: IoredisClient; readonly store: KeyValueStore } | undefined;
  // Looked up at each question: a client that has given up is replaced by the service when it is asked again.
  const inside = () => property('ioConnection' in redis ? redis : redis.connection(), 'ioConnection');
  const current = () => {
    const client = inside();
    if (known !== undefined && known.client === client) return known;
    if (!isIoredis(client)) throw closed();
    const store = ioredisStore(client, life.next());
    store.listen?.();
    known = { client, store };
    return known;
  };
  return {
    // Connects, so that the first question finds a connection.
    listen: () => void current(),
    async ping(starter) {
      const { client, store } = current();
      await connected(client, starter);
      return store.ping(starter);
    },
    memory: async () => current().store.memory(),
    connect(time) {
      const client = inside();
      return isIoredis(client) ? overIoredis(client, time) : undefined;
    },
  };
}

/** Waits for a connection that has only just been asked for. */
function connected(client: IoredisClient, { signal }: Starter): Promise<void> {
  if (client.status !== 'connecting' && client.status !== 'connect') return Promise.resolve();
  const events = ['ready', 'close', 'end'];
  return new Promise((resolve) => {
    const settle = () => {
      for (const stop of stops) stop();
      signal.removeEventListener('abort', settle);
      resolve();
    };
    const stops = events.map((event) => addListener(client, event, settle));
    signal.addEventListener('abort', settle, { once: true });
  });
}

/** A duplicate of an ioredis or iovalkey, or one with sentinels: the same settings, without the ways to try again. */
function overIoredis(client: IoredisClient, time: number): FreshConnection | undefined {
  // A cluster would connect to every server.
  if (property(client, 'isCluster') === true) return undefined;
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
  const sentinels = property(options, 'sentinels');
  // The rejection only says that it is closed; the event has the reason.
  let cause: unknown;
  call(made, 'on', 'error', (error: unknown) => {
    cause ??= error;
  });
  return {
    answered: connectAndPing(made).catch((thrown: unknown) => {
      throw cause ?? thrown;
    }),
    identity: identityOf(options, ...(Array.isArray(sentinels) ? sentinels : [])),
    close() {
      const sockets = [property(made, 'stream'), property(property(made, 'connector'), 'stream')];
      quietly(() => call(made, 'disconnect'));
      return partFromSockets(...sockets);
    },
  };
}

export const ioredis = [
  kind(['ioredis', 'iovalkey'], isIoredis, ioredisStore),
  kind(['@adonisjs/redis'], isAdonisRedis, adonisStore),
];
