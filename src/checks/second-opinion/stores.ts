import { property } from '../client.js';
import type { Adapters } from '../recognise.js';
import { isIoredis } from '../key-values/client-shapes.js';
import type { StoreClients } from '../key-values/client-shapes.js';
import type { RecognisedStore } from '../key-values/shapes.js';
import { opinionBy } from './opinion.js';
import type { Connect } from './fresh.js';
import type { OpinionSource } from './offer.js';
import { overIoredis, overNodeRedis } from './redis.js';

const none: Connect = () => undefined;

const adapters: Adapters<StoreClients, Connect> = {
  ioredis: (client) => (time) => overIoredis(client, time),
  adonisRedis: (redis) => (time) => {
    const client = property('ioConnection' in redis ? redis : redis.connection(), 'ioConnection');
    return isIoredis(client) ? overIoredis(client, time) : undefined;
  },
  nodeRedis: (client) => (time) => overNodeRedis(client, time),
  glide: () => none,
};

/** The second opinion on Redis or Valkey. */
export function storeOpinion(client: RecognisedStore): OpinionSource {
  return opinionBy({ connect: client.adopt(adapters) });
}
