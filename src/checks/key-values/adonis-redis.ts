import { property } from '../client.js';
import type { Starter } from '../flight.js';
import type { Life } from '../life.js';
import { addListener } from '../listening.js';
import { ioredis } from './ioredis.js';
import { type AdonisRedis, type IoredisClient, isIoredis } from './client-shapes.js';
import { closed, type KeyValueStore } from './store.js';

export function adonisRedis(redis: AdonisRedis, life: Life): KeyValueStore {
  let known: { readonly client: IoredisClient; readonly store: KeyValueStore } | undefined;
  // Looked up at each question: a client that has given up is replaced by the service when it is asked again.
  const current = () => {
    const client = property('ioConnection' in redis ? redis : redis.connection(), 'ioConnection');
    if (known !== undefined && known.client === client) return known;
    if (!isIoredis(client)) throw closed();
    const store = ioredis(client, life.next());
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
