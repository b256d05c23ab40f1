import { adopt } from '../client.js';
import { adonisRedis } from './adonis-redis.js';
import { glide } from './glide.js';
import { ioredis } from './ioredis.js';
import { memjs } from './memjs.js';
import { nodeRedis } from './node-redis.js';
import { closed, type KeyValueStore } from './store.js';

const families = [ioredis, adonisRedis, nodeRedis, glide, memjs];

/** The store that a client, which was recognised by its shape, speaks to. */
export function storeOf(client: unknown): KeyValueStore {
  const store = adopt(families, client);
  if (store === undefined) throw closed();
  return store;
}
