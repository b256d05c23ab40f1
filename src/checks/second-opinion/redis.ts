import { call, hasMethods, isObject, property } from '../client.js';
import { type IoredisClient, isCluster, type NodeRedisClient } from '../key-values/client-shapes.js';
import { pong } from '../key-values/store.js';
import { quietly } from '../pools/parting.js';
import { type FreshConnection, identityOf, listenForErrors, partFromSockets } from './fresh.js';

/** A duplicate of an ioredis or iovalkey, or one with sentinels: the same settings, without the ways to try again. */
export function overIoredis(client: IoredisClient, time: number): FreshConnection | undefined {
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

/** A duplicate of a node-redis client; pools, clusters and sentinel clients do not show one connection. */
export function overNodeRedis(client: NodeRedisClient, time: number): FreshConnection | undefined {
  const options = property(client, 'options');
  const socket = property(options, 'socket');
  if (isCluster(client) || !hasMethods(client, 'duplicate') || !('isReady' in client)) return undefined;
  const made = call(client, 'duplicate', {
    // It cannot be closed while it connects: it closes by itself.
    socket: { ...(isObject(socket) && socket), reconnectStrategy: false, connectTimeout: Math.ceil(time) },
    pingInterval: undefined,
    clientSideCache: undefined,
    disableOfflineQueue: false,
  });
  if (!hasMethods(made, 'connect', 'ping')) return undefined;
  listenForErrors(made);
  return {
    answered: connectAndPing(made),
    identity: identityOf(options, socket),
    close() {
      quietly(() => call(made, hasMethods(made, 'destroy') ? 'destroy' : 'disconnect'));
      // It shows no socket, and so not when the server has noticed.
      return new Promise(() => {});
    },
  };
}

async function connectAndPing(client: object): Promise<void> {
  await call(client, 'connect');
  if (pong(await call(client, 'ping')) !== 'pong') throw new Error('the reply was not a ping reply');
}
