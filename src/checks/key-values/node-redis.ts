import { family, hasMethods, property } from '../client.js';
import { closed, type Emitter, type KeyValueStore, lastErrorOf, offline, unlessLost } from './store.js';

/** `createClient`, `createClientPool`, `createCluster` or `createSentinel` of redis (node-redis) 4, 5 or 6. */
export interface NodeRedisClient extends Emitter {
  readonly isOpen: boolean;
  readonly sendCommand: unknown;
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
  (client) => {
    const lastError = lastErrorOf(client);
    return {
      name: 'redis',
      async ping() {
        const reason = lastError();
        if (!client.isOpen) throw closed();
        return pingReady(
          isCluster(client) ? await client.nodeClient(client.getRandomNode()) : client,
          reason,
        );
      },
    };
  },
);

const isCluster = (value: unknown): value is ClusterClient =>
  hasMethods(value, 'getRandomNode', 'nodeClient');
const isSingle = (value: unknown): value is SingleClient => hasMethods(value, 'ping');

async function pingReady(client: unknown, reason: unknown): Promise<boolean> {
  // A client that is offline queues what it is asked until it is online again.
  if (!isSingle(client) || property(client, 'isReady') === false) throw reason ?? offline('reconnecting');
  const answer = await unlessLost(client, ['reconnecting', 'end'], client.ping());
  return String(answer) === 'PONG';
}
