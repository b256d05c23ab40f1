import { call, hasMethods, isObject, listOf, property, shape } from '../client.js';
import type { Life } from '../listening.js';
import { ignore, quietly } from '../pools/abandoned.js';
import { kind } from '../recognise.js';
import { late, unlessLate } from '../round-trip.js';
import { type Connect, failureOfFresh, type FreshConnection, identityOf } from '../second-opinion/fresh.js';
import {
  askCluster,
  connectAndPing,
  type Emitter,
  ended,
  type KeyValueStore,
  offlineSince,
  oneNodeAtATime,
  type Pong,
  pong,
  unlessLost,
} from './store.js';

/** `createClient`, `createClientPool`, `createCluster` or `createSentinel` of redis (node-redis) 4, 5 or 6. */
export interface NodeRedisClient extends Emitter {
  readonly isOpen: boolean;
  readonly sendCommand: unknown;
}

interface SingleClient extends NodeRedisClient {
  readonly isReady: boolean;
  ping(): Promise<unknown>;
}

/** It has a client for each server. */
interface ClusterClient extends NodeRedisClient {
  getRandomNode(): unknown;
  nodeClient(node: unknown): unknown;
}

const isCluster = shape<ClusterClient>('getRandomNode', 'nodeClient');

const isSingle = shape<SingleClient>('ping');

export const isNodeRedis = (value: unknown): value is NodeRedisClient =>
  hasMethods(value, 'once', 'removeListener', 'sendCommand') &&
  'isOpen' in value &&
  (isCluster(value) || isSingle(value));

function nodeRedisStore(client: NodeRedisClient, life: Life): KeyValueStore {
  const failOffline = offlineSince(client, life);
  const connect = (time: number) => connectNodeRedis(client, time);
  const failureOfAnother = failureOfFresh(connect);
  const askOne = oneNodeAtATime<SingleClient>();
  const askSingle = singlePing(connect);
  return {
    connect,
    async ping(signal) {
      if (!client.isOpen) throw ended(await failureOfAnother(signal));
      const nodes = (isCluster(client) ? await readyNodes(client) : [client]).filter(isOnline);
      // An offline client queues commands until it is online again.
      const [single] = nodes;
      if (single === undefined) return failOffline('reconnecting', signal);
      if (!isCluster(client)) return unlessLost(single, lost, askSingle(single, signal));
      return askOne(nodes, (node) => unlessLost(node, lost, askNode(node)));
    },
  };
}

const lost = ['reconnecting', 'end'] as const;

const askNode = (node: SingleClient) =>
  askCluster(
    () => call(node, 'sendCommand', ['CLUSTER', 'INFO']),
    () => node.ping(),
  );

/** The connected servers of the cluster: the others may work while one is down. */
async function readyNodes(client: ClusterClient): Promise<readonly unknown[]> {
  const servers = [...listOf(property(client, 'masters')), ...listOf(property(client, 'replicas'))];
  const nodes = await Promise.all(
    servers.map((server) => property(server, 'client') ?? client.nodeClient(server)),
  );
  const ready = nodes.filter((node) => property(node, 'isReady') === true);
  return ready.length === 0 ? [await client.nodeClient(client.getRandomNode())] : ready;
}

const isOnline = (client: unknown): client is SingleClient =>
  isSingle(client) && property(client, 'isReady') !== false;

/**
 * node-redis does not show whether it waits in a blocking command. If it gives no answer in half of the time,
 * the server is pinged over a connection of its own. One ping at most waits in the client: later runs wait for that one.
 */
function singlePing(connect: Connect): (client: SingleClient, signal: AbortSignal) => Promise<Pong> {
  let pending: Promise<Pong> | undefined;
  return async (client, signal) => {
    const waits = pending !== undefined;
    const answer = (pending ??= client
      .ping()
      .then(pong)
      .finally(() => {
        pending = undefined;
      }));
    // Pools and sentinel clients find a connection by themselves.
    if (!isSingleServer(client)) return answer;
    const first = await unlessLate(answer, signal, waits ? 0 : 0.5);
    if (first !== late) return first;
    const failure = failureOfFresh(connect)(signal);
    // If the server gives none, the client's own answer decides, however late.
    return Promise.race([answer, failure.then((thrown) => (thrown === undefined ? 'blocked' : answer))]);
  };
}

const isSingleServer = (client: NodeRedisClient) =>
  !isCluster(client) && hasMethods(client, 'duplicate') && 'isReady' in client;

/** A duplicate of a node-redis client; pools, clusters and sentinel clients do not show one connection. */
function connectNodeRedis(client: NodeRedisClient, time: number): FreshConnection | undefined {
  const options = property(client, 'options');
  const socket = property(options, 'socket');
  if (!isSingleServer(client)) return undefined;
  const copy = call(client, 'duplicate', {
    // It cannot be closed while it connects: without retries, it ends by itself.
    socket: { ...(isObject(socket) && socket), reconnectStrategy: false, connectTimeout: Math.ceil(time) },
    pingInterval: undefined,
    clientSideCache: undefined,
    disableOfflineQueue: false,
  });
  if (!hasMethods(copy, 'connect', 'ping')) return undefined;
  let isConnected = false;
  const drop = () => void quietly(() => call(copy, hasMethods(copy, 'destroy') ? 'destroy' : 'disconnect'));
  call(copy, 'on', 'error', ignore);
  call(copy, 'once', 'connect', () => (isConnected = true));
  return {
    answered: connectAndPing(copy),
    identity: identityOf(options, socket),
    close() {
      if (isConnected) drop();
      else call(copy, 'once', 'connect', drop);
      // It shows no socket, and so not when the server has closed its side.
      return new Promise(() => {});
    },
  };
}

export const nodeRedis = kind(['redis'], isNodeRedis, nodeRedisStore);
