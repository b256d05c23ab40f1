import { clientUnsupported } from '../errors.js';
import { recognise, type Recognised, shapesOf, showsUsage } from '../recognise.js';
import {
  isAdonisRedis,
  isGlide,
  isIoredis,
  isNodeRedis,
  type RedisClient,
  type StoreClients,
} from './client-shapes.js';

export type RecognisedStore = Recognised<StoreClients>;

const shapes = shapesOf<StoreClients>({
  ioredis: [['ioredis', 'iovalkey'], isIoredis, showsUsage],
  adonisRedis: [['@adonisjs/redis'], isAdonisRedis, showsUsage],
  nodeRedis: [['redis'], isNodeRedis, showsUsage],
  glide: [['@valkey/valkey-glide'], isGlide, showsUsage],
});

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
