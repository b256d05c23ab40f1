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
