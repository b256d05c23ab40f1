import { clientUnsupported } from '../errors.js';
import { returnsTrue, recognise, type Recognised, shape, type Shape } from '../recognise.js';
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

/** All clients, by their kind. */
export interface StoreClients {
  readonly ioredis: IoredisClient;
  readonly adonisRedis: AdonisRedis;
  readonly nodeRedis: NodeRedisClient;
  readonly glide: GlideClient;
  readonly memjs: MemjsClient;
}

export type RecognisedStore = Recognised<StoreClients>;

// memcached does not show how much memory is in use.
const shapes: readonly Shape<RecognisedStore>[] = [
  shape('ioredis', ['ioredis', 'iovalkey'], isIoredis, returnsTrue),
  shape('adonisRedis', ['@adonisjs/redis'], isAdonisRedis, returnsTrue),
  shape('nodeRedis', ['redis'], isNodeRedis, returnsTrue),
  shape('glide', ['@valkey/valkey-glide'], isGlide, returnsTrue),
  shape('memjs', ['memjs'], isMemjs),
];

export const redisNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseRedis = (value: unknown): RecognisedStore | undefined => recognise(shapes, value);

export function isRedisClient(value: unknown): value is RedisClient {
  return recogniseRedis(value) !== undefined;
}

/** Rejects a value that is not a client, at once. */
export function requireRedis(client: unknown, option = 'redis'): RecognisedStore {
  const recognised = recogniseRedis(client);
  if (recognised === undefined) throw clientUnsupported(option, client, redisNames);
  return recognised;
}
