import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4';
import { createClient as createClient6 } from 'redis6';
import { Redis as Valkey } from 'iovalkey';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RedisClient } from 'lifesign/checks';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import { clusterPorts } from '../services/redis.js';
import type { RunningService } from '../services/service.js';
import { heartbeats } from './heartbeats.js';

const silent = () => {};

interface Held {
  readonly client: RedisClient;
  subscribe(): Promise<unknown>;
  /** Waits for something that never comes. */
  block(): unknown;
  close(): unknown;
}

const ioredisOf = (client: Redis | Valkey): Held => {
  client.on('error', silent);
  return {
    client,
    subscribe: () => client.subscribe('news'),
    block: () => client.blpop('nothing', 0).catch(silent),
    close: () => client.disconnect(),
  };
};

/** What is called of a node-redis of any version. */
interface NodeRedis {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<unknown>;
  blPop(key: string, timeout: number): Promise<unknown>;
  disconnect(): Promise<unknown>;
}

async function nodeRedisOf(client: NodeRedis & RedisClient): Promise<Held> {
  client.on('error', silent);
  await client.connect();
  return {
    client,
    subscribe: () => client.subscribe('news', silent),
    block: () => client.blPop('nothing', 0).catch(silent),
    close: () => client.disconnect().catch(silent),
  };
}

const libraries: Readonly<Record<string, (url: string) => Promise<Held>>> = {
  ioredis: async (url) => ioredisOf(new Redis(url)),
  iovalkey: async (url) => ioredisOf(new Valkey(url)),
  'redis 4': (url) => nodeRedisOf(createClient4({ url })),
  'redis 5': (url) => nodeRedisOf(createClient({ url })),
  'redis 6': (url) => nodeRedisOf(createClient6({ url })),
};

describe.skipIf(!canStart('redis'))('clients of a healthy Redis that do something else', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('redis');
  });
  afterAll(() => server?.stop());

  for (const [name, open] of Object.entries(libraries)) {
    it(`${name}: a subscriber is ok`, async () => {
      const held = await open(server.url);
      await held.subscribe();
      const { ids } = heartbeats({ redis: held.client, timeout: 5000 });
      for (let beat = 0; beat < 5; beat += 1) expect(await ids()).toEqual([]);
      await held.close();
    });

    it(`${name}: one in a blocking command does not fail, and leaves no connection or command behind`, async () => {
      const held = await open(server.url);
      const admin = new Redis(server.url);
      const clients = async () =>
        String(await admin.client('LIST'))
          .trim()
          .split('\n').length;
      held.block();
      await vi.waitFor(async () => expect(await admin.client('LIST')).toMatch(/cmd=blpop/), 5000);
      const before = await clients();
      const { ids, beat } = heartbeats({ redis: held.client, timeout: 600 });
      for (let round = 0; round < 4; round += 1) {
        const found = (await Promise.all(Array.from({ length: 20 }, ids))).flat();
        expect(found.filter((id) => id !== 'health.I004')).toEqual([]);
        expect((await beat()).status).toMatch(/^(ok|info)$/);
      }
      await expect.poll(clients).toBe(before);

      server.freeze();
      try {
        expect(await ids()).toEqual([expect.stringMatching(/^health\.E0(04|07|12|13)$/)]);
      } finally {
        server.thaw();
      }
      await expect.poll(ids, { timeout: 10_000 }).toEqual(name.startsWith('io') ? [] : ['health.I004']);
      admin.disconnect();
      await held.close();
    });
  }

  it('the first heartbeat has the cause that later ones have', async () => {
    const port = await freePort();
    const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50 });
    client.on('error', silent);
    await new Promise<void>((resolve) => client.once('close', () => resolve()));
    const { beat } = heartbeats({ redis: client, timeout: 5000 });
    expect(JSON.stringify(await beat())).toContain('connection refused (ECONNREFUSED');
    client.disconnect();
  });

  it('sentinels that cannot be reached are no connection', async () => {
    const sentinels = [{ host: '127.0.0.1', port: await freePort() }];
    const client = new Redis({ sentinels, name: 'main', sentinelRetryStrategy: () => 50 });
    client.on('error', silent);
    const { until } = heartbeats({ redis: client, timeout: 5000 });
    await until(['health.E004']);
    client.disconnect();
  });
});

describe.skipIf(!canStart('redis'))('a Redis Cluster of three servers', () => {
  let servers: readonly RunningService[] = [];
  const settings = '--cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-node-timeout 500'.split(
    ' ',
  );
  const state = async (word: string) => {
    const admin = new Redis(servers[0]?.url ?? '');
    await vi.waitFor(async () => expect(await admin.cluster('INFO')).toContain(`cluster_state:${word}`), {
      timeout: 30_000,
      interval: 100,
    });
    admin.disconnect();
  };
  beforeAll(async () => {
    servers = await Promise.all([0, 1, 2].map(() => startService('redis', { args: settings })));
    const ports = await clusterPorts(servers[0]?.url ?? '');
    const ranges = [
      ['0', '5460'],
      ['5461', '10922'],
      ['10923', '16383'],
    ];
    for (const [index, { url }] of servers.entries()) {
      const admin = new Redis(url);
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', ...(ranges[index] ?? []));
      await admin.call('CLUSTER', 'MEET', '127.0.0.1', ...ports);
      admin.disconnect();
    }
    await state('ok');
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it('is down when a part of the slots has no server, on every heartbeat, and comes back', async () => {
    const [first, , third] = servers;
    if (first === undefined || third === undefined) throw new Error('No servers');
    const rootNodes = [{ socket: { host: '127.0.0.1', port: first.port } }];
    const one = new Cluster([{ host: '127.0.0.1', port: first.port }], { clusterRetryStrategy: () => 100 });
    const two = createCluster({ rootNodes, defaults: { socket: { reconnectStrategy: 100 } } });
    const three = createCluster4({ rootNodes, defaults: { socket: { reconnectStrategy: 100 } } });
    for (const client of [one, two, three]) client.on('error', silent);
    await two.connect();
    await three.connect();
    const { ids, until, beat } = heartbeats({ redis: { one, two, three }, timeout: 5000 });
    await until([]);
    await third.kill();
    try {
      await state('fail');
      await until(['health.E023']);
      for (let round = 0; round < 20; round += 1) {
        expect(await ids()).toEqual(['health.E023', 'health.E023', 'health.E023']);
      }
      expect(JSON.stringify(await beat())).toMatch(
        /Redis cluster is down: it accepts no commands, \d+ of 16384 slots/,
      );
    } finally {
      await third.restart();
    }
    await state('ok');
    await until([]);
    one.disconnect();
    two.destroy();
    await three.disconnect().catch(silent);
  });
});
