import { clientUnsupported } from '../../core/options/errors.js';
import { always, recognise, type Recognised, shape, type Shape } from '../client.js';
import {
  type AdonisRedis,
  type GlideClient,
  type IoredisClient,
  isAdonisRedis,
  isGlide,
  isIoredis,
  isMemjs,
  isNodeRedis,
  type MemjsClient,
  type NodeRedisClient,
  type RedisClient,
} from './client-shapes.js';
import type { KeyValueStore } from './store.js';

/** One function for each kind of client. */
export interface StoreAdapters {
  readonly ioredis: (client: IoredisClient) => KeyValueStore;
  readonly adonisRedis: (redis: AdonisRedis) => KeyValueStore;
  readonly nodeRedis: (client: NodeRedisClient) => KeyValueStore;
  readonly glide: (client: GlideClient) => KeyValueStore;
  readonly memjs: (client: MemjsClient) => KeyValueStore;
}

export type RecognisedStore = Recognised<StoreAdapters, KeyValueStore>;

// memcached does not show how much memory is in use.
const shapes: readonly Shape<RecognisedStore>[] = [
  shape(['ioredis', 'iovalkey'], isIoredis, (to) => to.ioredis, always),
  shape(['@adonisjs/redis'], isAdonisRedis, (to) => to.adonisRedis, always),
  shape(['redis'], isNodeRedis, (to) => to.nodeRedis, always),
  shape(['@valkey/valkey-glide'], isGlide, (to) => to.glide, always),
  shape(['memjs'], isMemjs, (to) => to.memjs),
];

export const redisNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseRedis = (value: unknown): RecognisedStore | undefined => recognise(shapes, value);

export function isRedisClient(value: unknown): value is RedisClient {
  return recogniseRedis(value) !== undefined;
}

/** Refuses what is no client, at once. */
export function requireRedis(client: unknown, option = 'redis'): RecognisedStore {
  const recognised = recogniseRedis(client);
  if (recognised === undefined) throw clientUnsupported(option, client, redisNames);
  return recognised;
}
