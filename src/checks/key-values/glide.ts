import { family, hasMethods, property } from '../client.js';
import { closed, type KeyValueStore } from './store.js';

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  ping(): Promise<unknown>;
  customCommand(command: string[]): Promise<unknown>;
  close(): void;
}

export const glide = family<GlideClient, KeyValueStore>(
  ['@valkey/valkey-glide'],
  (value): value is GlideClient => hasMethods(value, 'ping', 'customCommand', 'close'),
  (client) => ({
    name: 'redis',
    // It queues nothing and has a timeout of its own.
    async ping() {
      try {
        return String(await client.ping()) === 'PONG';
      } catch (thrown) {
        if (property(thrown, 'name') === 'ClosingError') throw closed();
        throw thrown;
      }
    },
  }),
);
