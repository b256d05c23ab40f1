import { family, hasMethods } from '../client.js';
import { closed, type Emitter, type KeyValueStore, lastErrorOf, offline, unlessLost } from './store.js';

/** `Redis` or `Cluster` of ioredis or iovalkey. */
export interface IoredisClient extends Emitter {
  readonly status: string;
  ping(): Promise<string>;
}

export const ioredis = family<IoredisClient, KeyValueStore>(
  ['ioredis', 'iovalkey'],
  (value): value is IoredisClient =>
    hasMethods(value, 'ping', 'once', 'removeListener', 'disconnect') &&
    'status' in value &&
    typeof value.status === 'string',
  (client) => {
    const lastError = lastErrorOf(client);
    return {
      name: 'redis',
      async ping() {
        const reason = lastError();
        if (client.status === 'end') throw closed();
        // A client that is offline queues what it is asked; `wait` is a lazy one, which connects when it is asked.
        if (client.status !== 'ready' && client.status !== 'wait') throw reason ?? offline(client.status);
        return (await unlessLost(client, ['close', 'end'], client.ping())) === 'PONG';
      },
    };
  },
);
