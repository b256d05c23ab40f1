import { hasMethods, isObject, numberOf, property, textOf } from '../client.js';
import { requireReachable } from '../flight.js';
import { closed, clusterState, isForbidden, type KeyValueStore, pong } from './store.js';
import { kind } from '../recognise.js';

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  ping(): Promise<unknown>;
  customCommand(command: string[]): Promise<unknown>;
  close(): void;
}

const isGlide = (value: unknown): value is GlideClient => hasMethods(value, 'ping', 'customCommand', 'close');

const glideStore = (client: GlideClient): KeyValueStore => ({
  // It queues nothing and has a timeout of its own.
  async ping(starter) {
    try {
      // Commands without a key go to one server of a cluster.
      return isCluster(client)
        ? clusterState(await client.customCommand(['CLUSTER', 'INFO']))
        : pong(await client.ping());
    } catch (thrown) {
      if (property(thrown, 'name') === 'ClosingError') throw closed();
      if (isCluster(client) && isForbidden(thrown)) return pong(await client.ping());
      // It says no more than that time is up, also of a server that is gone.
      if (unconnected.test(`${String(property(thrown, 'name'))} ${String(property(thrown, 'message'))}`))
        await requireReachable(addressesOf(client), starter);
      throw thrown;
    }
  },
  memory: async () => textsOf(await client.customCommand(['INFO', 'memory'])),
});

const unconnected = /^(Timeout|Connection)Error|connect/i;

function addressesOf(client: GlideClient): readonly { readonly host: string; readonly port: number }[] {
  const addresses = property(property(client, 'config'), 'addresses');
  return (Array.isArray(addresses) ? addresses : []).flatMap((address: unknown) => {
    const host = textOf(property(address, 'host'));
    return host === undefined ? [] : [{ host, port: numberOf(address, 'port') ?? 6379 }];
  });
}

const isCluster = (client: GlideClient) => /Cluster/.test(client.constructor.name);

/** A cluster answers for each server, in a map or a list of pairs. */
function textsOf(answer: unknown): readonly string[] {
  if (Array.isArray(answer)) return answer.map((each: unknown) => String(property(each, 'value')));
  if (!isObject(answer) || Buffer.isBuffer(answer)) return [String(answer)];
  return Object.values(answer).map(String);
}

export const glide = kind(['@valkey/valkey-glide'], isGlide, glideStore);
