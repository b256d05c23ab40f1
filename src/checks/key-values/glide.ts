import { hasMethods, isObject, listOf, numberOf, property, textOf } from '../client.js';
import { connectTcp, late, type Starter, unlessLate } from '../flight.js';
import { askCluster, closed, type KeyValueStore, pong } from './store.js';
import { kind } from '../recognise.js';

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  ping(): Promise<unknown>;
  customCommand(command: string[]): Promise<unknown>;
  close(): void;
}

const isGlide = (value: unknown): value is GlideClient => hasMethods(value, 'ping', 'customCommand', 'close');

function glideStore(client: GlideClient): KeyValueStore {
  const ping = () => client.ping();
  // Commands without a key go to one server of a cluster.
  const info = () => client.customCommand(['CLUSTER', 'INFO']);
  return {
    // It queues nothing and has a timeout of its own.
    async ping(starter) {
      try {
        return isCluster(client) ? await askCluster(info, ping) : pong(await ping());
      } catch (thrown) {
        const name = String(property(thrown, 'name'));
        if (name === 'ClosingError') throw closed();
        // It says no more than that time is up, also of a server that is gone.
        if (!unconnected.test(`${name} ${String(property(thrown, 'message'))}`)) throw thrown;
        const failures = await Promise.all(
          addressesOf(client).map((address) => failureToReach(address, starter)),
        );
        throw failures.includes(undefined) ? thrown : (failures[0] ?? thrown);
      }
    },
    memory: async () => textsOf(await client.customCommand(['INFO', 'memory'])),
  };
}

const unconnected = /^(Timeout|Connection)Error|connect/i;

const addressesOf = (client: GlideClient) =>
  listOf(property(client, 'config', 'addresses')).flatMap((address) => {
    const host = textOf(property(address, 'host'));
    return host === undefined ? [] : [{ host, port: numberOf(address, 'port') ?? 6379 }];
  });

/** Why an address takes no connection; undefined if it does. */
async function failureToReach(
  address: { host: string; port: number },
  { signal }: Starter,
): Promise<unknown> {
  const { host, port } = address;
  try {
    const connected = await unlessLate(connectTcp(host, port, signal), signal);
    return connected === late ? { code: 'ETIMEDOUT', ...address } : undefined;
  } catch (thrown) {
    return thrown;
  }
}

const isCluster = (client: GlideClient) => /Cluster/.test(client.constructor.name);

/** A cluster answers for each server, in a map or a list of pairs. */
function textsOf(answer: unknown): readonly string[] {
  if (Array.isArray(answer)) return answer.map((each) => String(property(each, 'value')));
  if (!isObject(answer) || Buffer.isBuffer(answer)) return [String(answer)];
  return Object.values(answer).map(String);
}

export const glide = kind(['@valkey/valkey-glide'], isGlide, glideStore);
