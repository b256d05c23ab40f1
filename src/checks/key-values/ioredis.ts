import { family, hasMethods } from '../client.js';
import { closed, type KeyValueStore, offline, unlessLost } from './store.js';

/** `Redis` or `Cluster` of ioredis or iovalkey. */
export interface IoredisClient {
  readonly status: string;
  ping(): Promise<string>;
  once(event: 'close' | 'end', listener: () => void): unknown;
  removeListener(event: 'close' | 'end', listener: () => void): unknown;
}

export const ioredis = family<IoredisClient, KeyValueStore>(
  ['ioredis', 'iovalkey'],
  (value): value is IoredisClient =>
    hasMethods(value, 'ping', 'once', 'removeListener', 'disconnect') &&
    'status' in value &&
    typeof value.status === 'string',
  (client) => ({
    name: 'redis',
    async ping() {
      if (client.status === 'end') throw closed();
      // `wait`: a lazy client connects with its first command.
      if (client.status !== 'ready' && client.status !== 'wait') throw offline(client.status);
      return (await unlessLost(client, ['close', 'end'], client.ping())) === 'PONG';
    },
  }),
);
