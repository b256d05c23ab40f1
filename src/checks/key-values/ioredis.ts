import { call, property } from '../client.js';
import { orAborted, type Starter } from '../flight.js';
import type { Life } from '../life.js';
import {
  oneNodeAtATime,
  ended,
  clusterState,
  isForbidden,
  type KeyValueStore,
  offline,
  outageOf,
  type Pong,
  pong,
  unlessLost,
} from './store.js';
import { type IoredisClient, isIoredis } from './client-shapes.js';

export function ioredis(client: IoredisClient, life: Life): KeyValueStore {
  const outage = outageOf(client, life);
  const askOne = oneNodeAtATime();
  return {
    listen: outage.listen,
    async ping(starter) {
      if (client.status === 'end') {
        const options = property(client, 'options');
        // With sentinels, the address is not that of the server.
        return ended(property(options, 'sentinels') ? undefined : options, starter);
      }
      // An offline client queues commands; `wait` is a lazy one, which connects with its first command.
      if (client.status !== 'ready' && client.status !== 'wait') {
        throw (await outage.reason(starter)) ?? offline(client.status);
      }
      if (isBlocked(client)) return pingByDuplicate(client, starter);
      return unlessLost(
        client,
        ['close', 'end'],
        isCluster(client) ? pingCluster(client, askOne) : ping(client),
      );
    },
    memory: () =>
      Promise.all(mastersOf(client).map(async (each) => String(await call(each, 'info', 'memory')))),
  };
}

const ping = async (client: IoredisClient) => pong(await client.ping());
const isCluster = (client: IoredisClient) => property(client, 'isCluster') === true;
const mastersOf = (client: IoredisClient) => (isCluster(client) ? nodesOf(client, 'master') : [client]);

function nodesOf(client: IoredisClient, role: 'all' | 'master'): readonly IoredisClient[] {
  const nodes = call(client, 'nodes', role);
  return Array.isArray(nodes) ? nodes.filter(isIoredis) : [];
}

/** One connected server answers for all: pings are answered even by a cluster that is down. */
async function pingCluster(client: IoredisClient, askOne: ReturnType<typeof oneNodeAtATime>): Promise<Pong> {
  const ready = nodesOf(client, 'all').filter(({ status }) => status === 'ready');
  try {
    const nodes = ready.length === 0 ? [client] : ready;
    return clusterState(await askOne(nodes, async (node) => call(node, 'cluster', 'INFO')));
  } catch (thrown) {
    if (isForbidden(thrown)) return ping(client);
    throw thrown;
  }
}

const blocking = /^(b(l|r|z)\w*|wait|waitaof)$/;

/** Whether a command is under way that waits for others: a ping would wait with it. */
function isBlocked(client: IoredisClient): boolean {
  const command = property(call(property(client, 'commandQueue'), 'peekFront'), 'command');
  const name = String(property(command, 'name')).toLowerCase();
  if (blocking.test(name)) return true;
  const given = property(command, 'args');
  return (
    name.startsWith('xread') && Array.isArray(given) && given.some((each) => /^block$/i.test(String(each)))
  );
}

/** Asks over a connection of its own, with the same settings, which is closed again. */
async function pingByDuplicate(client: IoredisClient, { signal }: Starter): Promise<Pong> {
  const duplicate = call(client, 'duplicate', {
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
  });
  if (!isIoredis(duplicate)) return 'blocked';
  duplicate.on('error', () => {});
  try {
    return await orAborted(ping(duplicate), signal);
  } finally {
    call(duplicate, 'disconnect');
  }
}
