import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import * as checks from 'lifesign/checks';
import { say } from '../say.js';

it('a cluster of ioredis that found no server says what the last one said', async () => {
  const client = Object.assign(
    new EventEmitter().on('error', () => {}),
    {
      status: 'reconnecting',
      isCluster: true,
      ping: async () => 'PONG',
      disconnect() {},
      nodes: () => [],
    },
  );
  const check = checks.checkRedisConnected(client);
  await say(check);
  for (const [text, said] of [
    [
      'ERR max number of clients + cluster connections reached',
      'Error health.E004: Cannot connect to redis: the server accepts no more connections',
    ],
    ['Connection is closed.', 'Error health.E007: Redis ping failed: the server closed the connection'],
  ] as const) {
    const lastNodeError = new Error(text);
    client.emit('error', Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError }));
    expect(await say(check)).toEqual([said]);
  }
});

it('a cluster of node-redis without a server says what the last one said, until one is ready', async () => {
  const node = { isReady: false };
  const client = Object.assign(
    new EventEmitter().on('error', () => {}),
    {
      isOpen: true,
      masters: [],
      replicas: [],
      getRandomNode: () => ({}),
      nodeClient: async () => node,
      sendCommand: async () => 'PONG',
      ping: async () => 'PONG',
    },
  );
  const check = checks.checkRedisConnected(client);
  await say(check);
  client.emit('node-error', new Error('WRONGPASS invalid username-password pair or user is disabled.'), {});
  expect(await say(check)).toEqual([expect.stringContaining('health.E006')]);
  client.emit('node-ready', {});
  expect(await say(check)).toEqual([expect.stringContaining('no connection (reconnecting)')]);
});

it('checks.redisMemory tells the fullest server of a cluster, and no more than that it may not ask', async () => {
  const info = (used: number) => async () => `used_memory:${used}\r\nmaxmemory:100\r\n`;
  const client = (more: object) =>
    Object.assign(new EventEmitter(), {
      ping: async () => 'PONG',
      sendCommand: async () => 'cluster_state:ok',
      cluster: async () => 'cluster_state:ok',
      disconnect() {},
      ...more,
    });
  const ioredis = client({
    status: 'ready',
    isCluster: true,
    nodes: () => [10, 90, 20].map((used) => client({ status: 'ready', info: info(used) })),
  });
  const nodeRedis = client({
    isOpen: true,
    masters: [10, 90].map((used) => ({ client: client({ isOpen: true, isReady: true, info: info(used) }) })),
    getRandomNode: () => ({}),
    nodeClient: () => undefined,
  });
  for (const cluster of [ioredis, nodeRedis]) {
    expect(await say(checks.redisMemory(cluster as never))).toEqual([
      expect.stringContaining('memory, 90 %, above 80 %'),
    ]);
  }
  const refused = client({ status: 'ready', info: () => Promise.reject(new Error('NOPERM of-somebody')) });
  expect(await say(checks.redisMemory(refused as never))).toEqual([
    expect.stringMatching(/^Error health\.E025: Cannot read the memory usage of redis: (?!.*somebody)/),
  ]);
});
