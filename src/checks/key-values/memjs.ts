import { isObject } from '../client.js';
import { closed, type KeyValueStore, Unavailable } from './store.js';
import type { MemjsClient } from './client-shapes.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

export const memjs = (client: MemjsClient): KeyValueStore => ({
  name: 'memcached',
  ping: async () => ((await pingAll(client)) ? 'pong' : 'wrong'),
  memory: async () => [],
});

/** Every server of the client must answer: each holds its part of the keys. */
function pingAll(client: MemjsClient): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let open = client.servers.length;
    if (open === 0) reject(closed());
    client.stats((error, server, stats) => {
      if (error !== null) reject(refusal(error, server));
      open -= 1;
      if (open === 0) resolve(stats !== null);
    });
  });
}

/** memjs throws strings and errors; only the address helps. */
function refusal(error: unknown, server: string): Error {
  if (isObject(error) && 'code' in error && error instanceof Error) return error;
  if (/authentication/i.test(String(error))) return new Error('invalid password');
  return new Unavailable(messageIds.redisUnreachable, `${server} did not answer`);
}
