import { within } from '../../core/time.js';
import { deadlineOf } from '../../core/heartbeat/run.js';
import { call, hasMethods, isObject, property } from '../client.js';
import { orAborted, type Starter } from '../flight.js';
import type { Life } from '../listening.js';
import { quietly } from '../pools/lending.js';
import { kind } from '../recognise.js';
import { type FreshConnection, identityOf, listenForErrors } from '../second-opinion/fresh.js';
import {
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

/** `createClient`, `createClientPool`, `createCluster` or `createSentinel` of redis (node-redis) 4, 5 or 6. */
export interface NodeRedisClient extends Emitter {
  readonly isOpen: boolean;
  readonly sendCommand: unknown;
}

/** A client that speaks to one server. */
export interface SingleClient extends NodeRedisClient {
  readonly isReady: boolean;
  ping(): Promise<unknown>;
}

/** A cluster client: it has a client for each server. */
export interface ClusterClient extends NodeRedisClient {
  getRandomNode(): unknown;
  nodeClient(node: unknown): unknown;
}

const isCluster = (value: unknown): value is ClusterClient =>
  hasMethods(value, 'getRandomNode', 'nodeClient');

const isSingle = (value: unknown): value is SingleClient => hasMethods(value, 'ping');

export const isNodeRedis = (value: unknown): value is NodeRedisClient =>
  hasMethods(value, 'once', 'removeListener', 'sendCommand') &&
  'isOpen' in value &&
  (isCluster(value) || isSingle(value));

function nodeRedisStore(client: NodeRedisClient, life: Life): KeyValueStore {
  const outage = outageOf(client, life);
  const askSingle = asking();
  const askOne = oneNodeAtATime();
  return {
    listen: outage.listen,
    connect: (time) => overNodeRedis(client, time),
    async ping(starter) {
      if (!client.isOpen) return ended(property(property(client, 'options'), 'socket'), starter);
      const nodes = (isCluster(client) ? await readyNodes(client) : [client]).filter(isOnline);
      // An offline client queues commands until it is online again.
      const [single] = nodes;
      if (single === undefined) throw (await outage.reason(starter)) ?? offline('reconnecting');
      if (!isCluster(client)) return unlessLost(single, lost, askSingle(single, starter));
      return askOne(nodes, async (node) =>
        isSingle(node) ? unlessLost(node, lost, askNode(node)) : 'wrong',
      );
    },
    async memory() {
      const nodes = isCluster(client) ? await nodesOf(client, 'masters') : [client];
      return Promise.all(nodes.map(async (each) => String(await call(each, 'info', 'memory'))));
    },
  };
}

const lost = ['reconnecting', 'end'] as const;

const ping = async (client: SingleClient) => pong(await client.ping());

async function nodesOf(client: ClusterClient, role: 'masters' | 'replicas'): Promise<readonly unknown[]> {
  const nodes = property(client, role);
  return Promise.all(
    (Array.isArray(nodes) ? nodes : []).map(
      (node: unknown) => property(node, 'client') ?? client.nodeClient(node),
    ),
  );
}

/** Servers of the cluster that are connected: one that is down says nothing about the others. */
async function readyNodes(client: ClusterClient): Promise<readonly unknown[]> {
  const nodes = [...(await nodesOf(client, 'masters')), ...(await nodesOf(client, 'replicas'))];
  const ready = nodes.filter((node) => property(node, 'isReady') === true);
  return ready.length === 0 ? [await client.nodeClient(client.getRandomNode())] : ready;
}

const isOnline = (client: unknown): client is SingleClient =>
  isSingle(client) && property(client, 'isReady') !== false;

/** One server answers for all: pings are answered even by a cluster that is down. */
async function askNode(node: SingleClient): Promise<Pong> {
  try {
    return clusterState(await call(node, 'sendCommand', ['CLUSTER', 'INFO']));
  } catch (thrown) {
    if (isForbidden(thrown)) return ping(node);
    throw thrown;
  }
}

/**
 * node-redis does not show whether it waits in a blocking command. If it gives no answer in half of the time,
 * the server is asked over a connection of its own, with the same settings, which is closed again. One ping at
 * most waits in the client: later callers wait for that one.
 */
function asking(): (client: SingleClient, starter: Starter) => Promise<Pong> {
  let pending: Promise<Pong> | undefined;
  return async (client, { signal }) => {
    const waits = pending !== undefined;
    pending ??= ping(client).finally(() => {
      pending = undefined;
    });
    const answer = pending;
    const time = deadlineOf(signal) - performance.now();
    // Pools and sentinel clients find a connection by themselves.
    if (time === Infinity || property(client, 'isReady') !== true) return answer;
    const first = await within<Pong | undefined>(answer, waits ? 0 : time / 2, undefined);
    if (first !== undefined) return first;
    const duplicate = call(client, 'duplicate');
    if (!isSingle(duplicate) || !hasMethods(duplicate, 'connect')) return answer;
    duplicate.on('error', () => {});
    const other = Promise.resolve(call(duplicate, 'connect')).then(async (): Promise<Pong> => {
      await duplicate.ping();
      return 'blocked';
    });
    try {
      return await orAborted(Promise.race([answer, other]), signal);
    } catch {
      // The client's own answer decides, however late: until then nothing else stays open.
    } finally {
      other.catch(() => {});
      Promise.resolve(call(duplicate, hasMethods(duplicate, 'destroy') ? 'destroy' : 'disconnect')).catch(
        () => {},
      );
    }
    return answer;
  };
}

/** A duplicate of a node-redis client; pools, clusters and sentinel clients do not show one connection. */
function overNodeRedis(client: NodeRedisClient, time: number): FreshConnection | undefined {
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

export const nodeRedis = kind(['redis'], isNodeRedis, nodeRedisStore);
