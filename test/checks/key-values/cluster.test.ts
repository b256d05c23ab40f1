import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as checks from 'lifesign/checks';
import { oneNodeAtATime } from '../../../src/checks/key-values/store.js';
import { sayInTime } from '../say.js';

it('a server that owes an answer is asked again only if every other does, too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), async (answers) => {
      const nodes = answers.map((isAnswering) => ({ isAnswering }));
      const askOne = oneNodeAtATime();
      const asked: object[] = [];
      const ask = (node: object) => {
        asked.push(node);
        return nodes.some((each) => each === node && each.isAnswering)
          ? Promise.resolve('ok')
          : new Promise<never>(() => {});
      };
      // The silent ones before the first that answers are asked once each; from then on only that one.
      const first = answers.indexOf(true);
      const rounds = nodes.length + 2;
      for (let round = 0; round < rounds; round += 1) void askOne(nodes, ask);
      await Promise.resolve();
      const expected = first === -1 ? [...nodes, nodes[0], nodes[0]] : undefined;
      if (expected !== undefined) expect(asked).toEqual(expected);
      else expect(await askOne(nodes, ask)).toBe('ok');
    }),
  );
});

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
  await sayInTime(check);
  for (const [text, said] of [
    [
      'ERR max number of clients + cluster connections reached',
      'Error health.E004: Cannot connect to redis: the server accepts no more connections',
    ],
    ['Connection is closed.', 'Error health.E007: Redis ping failed: the server closed the connection'],
  ] as const) {
    const lastNodeError = new Error(text);
    client.emit('error', Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError }));
    expect(await sayInTime(check)).toEqual([said]);
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
  await sayInTime(check);
  client.emit('node-error', new Error('WRONGPASS invalid username-password pair or user is disabled.'), {});
  expect(await sayInTime(check)).toEqual([expect.stringContaining('health.E006')]);
  client.emit('node-ready', {});
  expect(await sayInTime(check)).toEqual([expect.stringContaining('no connection (reconnecting)')]);
});
