import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import { createCluster as createCluster4 } from 'redis4';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import { clusterPorts } from '../services/redis.js';
import type { RunningService } from '../services/service.js';
import { heartbeats } from './heartbeats.js';

const silent = () => {};

it('an ioredis says on the first heartbeat why it cannot connect, also to its sentinels', async () => {
  const port = await freePort();
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50 });
  client.on('error', silent);
  await new Promise<void>((resolve) => client.once('close', () => resolve()));
  const { beat } = heartbeats({ redis: client, timeout: 5000 });
  expect(JSON.stringify(await beat())).toContain('connection refused (ECONNREFUSED');
  client.disconnect();
  const sentinels = [{ host: '127.0.0.1', port }];
  const guarded = new Redis({ sentinels, name: 'main', sentinelRetryStrategy: () => 50 });
  guarded.on('error', silent);
  await heartbeats({ redis: guarded, timeout: 5000 }).until(['health.E004']);
  guarded.disconnect();
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
