import { family, hasMethods } from '../client.js';
import type { KeyValueStore } from './store.js';

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  ping(): Promise<unknown>;
  customCommand(command: string[]): Promise<unknown>;
  close(): void;
}

export const glide = family<GlideClient, KeyValueStore>(
  ['@valkey/valkey-glide'],
  (value): value is GlideClient => hasMethods(value, 'ping', 'customCommand', 'close'),
  // It queues nothing and has a timeout of its own.
  (client) => ({ name: 'redis', ping: async () => String(await client.ping()) === 'PONG' }),
);
