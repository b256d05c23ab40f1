import { listOf, numberOf, property, shape, textOf } from '../client.js';
import { notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import { late, unlessLate } from '../round-trip.js';
import { connectTcp } from '../tcp.js';
import { askCluster, type KeyValueStore, pong } from './store.js';

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  ping(): Promise<unknown>;
  customCommand(command: string[]): Promise<unknown>;
  close(): void;
}

function glideStore(client: GlideClient): KeyValueStore {
  const isCluster = /Cluster/.test(client.constructor.name);
  const ping = () => client.ping();
  // Commands without a key go to one server of a cluster.
  const info = () => client.customCommand(['CLUSTER', 'INFO']);
  return {
    // It queues nothing, and its own timeout ends a command.
    async ping(signal) {
      try {
        return isCluster ? await askCluster(info, ping) : pong(await ping());
      } catch (thrown) {
        const name = String(property(thrown, 'name'));
        if (name === 'ClosingError') throw notOpen('client');
        // Its timeout is the same for a slow server and one that is gone.
        if (!/^(Timeout|Connection)Error|connect/i.test(`${name} ${String(property(thrown, 'message'))}`))
          throw thrown;
        const addresses = listOf(property(client, 'config', 'addresses'));
        const failures = await Promise.all(addresses.map((address) => failureToReach(address, signal)));
        throw failures.includes(undefined) ? thrown : (failures[0] ?? thrown);
      }
    },
  };
}

/** Why an address accepts no connection; undefined if it does. */
async function failureToReach(address: unknown, signal: AbortSignal): Promise<unknown> {
  const host = textOf(property(address, 'host')) ?? '';
  const port = numberOf(address, 'port') ?? 6379;
  try {
    const connected = await unlessLate(connectTcp(host, port, signal), signal);
    return connected === late ? { code: 'ETIMEDOUT', host, port } : undefined;
  } catch (thrown) {
    return thrown;
  }
}

export const glide = kind(
  ['@valkey/valkey-glide'],
  shape<GlideClient>('ping', 'customCommand', 'close'),
  glideStore,
);
