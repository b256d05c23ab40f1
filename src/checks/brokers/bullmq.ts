import { isObject, property } from '../client.js';
import type { Starter } from '../flight.js';
import type { Life } from '../life.js';
import { recogniseRedis } from '../key-values/shapes.js';
import type { KeyValueStore } from '../key-values/store.js';
import { storeOf } from '../key-values/stores.js';
import { type Broker, closed, offline } from './broker.js';
import type { BrokerClients } from './client-shapes.js';

/** The Redis of a queue or a worker: BullMQ 5 has its connection itself, 6 in its backend. */
function redisOf(owner: unknown, life: Life): KeyValueStore | undefined {
  for (const holder of [property(owner, 'backend'), owner]) {
    const client = property(property(holder, 'connection'), '_client');
    for (const each of [client, property(client, 'client'), property(client, 'raw')]) {
      const redis = recogniseRedis(each);
      if (redis !== undefined) return storeOf(redis, life);
    }
  }
  return undefined;
}

/** Rejects at once if a queue or a worker has no connection: it would only wait. It has its client once it is ready. */
export function pingRedisOf(owner: unknown, life: Life): (starter: Starter) => Promise<void> {
  let store: KeyValueStore | undefined;
  const find = () => {
    store ??= redisOf(owner, life);
    store?.listen?.();
  };
  find();
  return async (starter) => {
    find();
    if (store === undefined) return;
    if ((await store.ping(starter)) === 'wrong') throw offline('the reply was not a ping reply');
  };
}

export function bullmq(client: BrokerClients['bullmq'], life: Life): Broker {
  const ping = pingRedisOf(client, life);
  return {
    name: 'the BullMQ Redis server',
    async ping(starter) {
      if (isObject(property(client, 'closing'))) throw closed();
      await ping(starter);
    },
  };
}
