import type { Life } from '../life.js';
import type { Adapters } from '../recognise.js';
import { adonisRedis } from './adonis-redis.js';
import { glide } from './glide.js';
import { ioredis } from './ioredis.js';
import { nodeRedis } from './node-redis.js';
import type { StoreClients } from './client-shapes.js';
import type { RecognisedStore } from './shapes.js';
import type { KeyValueStore } from './store.js';

const adapters: Adapters<StoreClients, KeyValueStore, [life: Life]> = {
  ioredis,
  adonisRedis,
  nodeRedis,
  glide,
};

/** The one way to ask a client, whichever it is. */
export const storeOf = (recognised: RecognisedStore, life: Life): KeyValueStore =>
  recognised.adopt(adapters, life);
