import { isObject, property } from '../client.js';
import { closed, clusterState, isForbidden, type KeyValueStore, pong } from './store.js';
import type { GlideClient } from './client-shapes.js';

export const glide = (client: GlideClient): KeyValueStore => ({
  name: 'redis',
  // It queues nothing and has a timeout of its own.
  async ping() {
    try {
      // Commands without a key go to one server of a cluster.
      return isCluster(client)
        ? clusterState(await client.customCommand(['CLUSTER', 'INFO']))
        : pong(await client.ping());
    } catch (thrown) {
      if (property(thrown, 'name') === 'ClosingError') throw closed();
      if (isCluster(client) && isForbidden(thrown)) return pong(await client.ping());
      throw thrown;
    }
  },
  memory: async () => textsOf(await client.customCommand(['INFO', 'memory'])),
});

const isCluster = (client: GlideClient) => /Cluster/.test(client.constructor.name);

/** A cluster answers for each server, in a map or a list of pairs. */
function textsOf(answer: unknown): readonly string[] {
  if (Array.isArray(answer)) return answer.map((each: unknown) => String(property(each, 'value')));
  if (!isObject(answer) || Buffer.isBuffer(answer)) return [String(answer)];
  return Object.values(answer).map(String);
}
