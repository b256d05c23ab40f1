import { isObject, property } from '../client.js';
import type { Starter } from '../flight.js';
import { recogniseRedis } from '../key-values/shapes.js';
import type { KeyValueStore } from '../key-values/store.js';
import { storeOf } from '../key-values/stores.js';
import { type Broker, closed, offline } from './broker.js';
import type { BrokerClients } from './client-shapes.js';

/** The Redis of a queue or a worker: BullMQ 5 has its connection at hand, 6 in its backend. */
function redisOf(owner: unknown): KeyValueStore | undefined {
  for (const holder of [property(owner, 'backend'), owner]) {
    const client = property(property(holder, 'connection'), '_client');
    for (const each of [client, property(client, 'client'), property(client, 'raw')]) {
      const redis = recogniseRedis(each);
      if (redis !== undefined) return storeOf(redis);
    }
  }
  return undefined;
}

const stores = new WeakMap<object, KeyValueStore>();

/** Rejects at once where a queue or a worker has no connection: it would only wait. */
export async function pingRedisOf(owner: unknown, starter: Starter): Promise<void> {
  if (!isObject(owner)) return;
  const store = stores.get(owner) ?? redisOf(owner);
  if (store === undefined) return;
  stores.set(owner, store);
  store.listen?.();
  if ((await store.ping(starter)) === 'wrong') throw offline('the reply was not a ping reply');
}

export function bullmq(client: BrokerClients['bullmq']): Broker {
  const store = redisOf(client);
  store?.listen?.();
  return {
    name: 'the BullMQ Redis server',
    async ping(starter) {
      if (isObject(property(client, 'closing'))) throw closed();
      await pingRedisOf(client, starter);
    },
  };
}
