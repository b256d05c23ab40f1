import { family, hasMethods, property } from '../client.js';
import { closed, type KeyValueStore, offline, unlessLost } from './store.js';

/** `createClient`, `createClientPool`, `createCluster` or `createSentinel` of redis (node-redis) 4, 5 or 6. */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
  sendCommand: unknown;
}

/** A client that speaks to one server. */
interface SingleClient extends NodeRedisClient {
  readonly isReady: boolean;
  ping(): Promise<unknown>;
}

/** A cluster client: it has a client for each server. */
interface ClusterClient extends NodeRedisClient {
  getRandomNode(): unknown;
  nodeClient(node: unknown): unknown;
}

export const nodeRedis = family<NodeRedisClient, KeyValueStore>(
  ['redis'],
  (value): value is NodeRedisClient =>
    hasMethods(value, 'once', 'removeListener', 'sendCommand') &&
    'isOpen' in value &&
    (isCluster(value) || isSingle(value)),
  (client) => ({
    name: 'redis',
    async ping() {
      if (!client.isOpen) throw closed();
      return isCluster(client) ? pingCluster(client) : pingSingle(client);
    },
  }),
);

const isCluster = (value: unknown): value is ClusterClient =>
  hasMethods(value, 'getRandomNode', 'nodeClient');
const isSingle = (value: unknown): value is SingleClient => hasMethods(value, 'ping');

async function pingSingle(client: unknown): Promise<boolean> {
  // A client that is offline queues what it is asked until it is online again.
  if (!isSingle(client) || property(client, 'isReady') === false) throw offline('reconnecting');
  const answer = await unlessLost(client, ['reconnecting', 'end'], client.ping());
  return String(answer) === 'PONG';
}

async function pingCluster(cluster: ClusterClient): Promise<boolean> {
  return pingSingle(await cluster.nodeClient(cluster.getRandomNode()));
}
