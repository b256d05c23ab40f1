import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import * as checks from 'lifesign/checks';
import { say, until } from '../say.js';

const redis = (client: unknown) => checks.checkRedisConnected(client as never);
const memory = (client: unknown) => checks.redisMemory(client as never);
const emitter = (members: object) => Object.assign(new EventEmitter(), members);
const pong = async () => 'PONG';
const refuse =
  (message: string, more: object = {}) =>
  () =>
    Promise.reject(Object.assign(new Error(message), more));

const wrong = 'Error health.E007: Redis ping failed: the reply was not a ping reply';
const closed =
  'Error health.E005: Redis client missing: the application has not opened the client, or has closed it';

/** An ioredis. */
const ioredis = (more: object = {}) => emitter({ status: 'ready', ping: pong, disconnect() {}, ...more });
const cluster = (answer: () => unknown, more: object = {}) =>
  ioredis({ isCluster: true, cluster: answer, nodes: () => undefined, ...more });

/** A client of node-redis. */
const nodeRedis = (more: object = {}) =>
  emitter({ isOpen: true, isReady: true, ping: pong, sendCommand: async () => 'cluster_state:ok', ...more });
const nodeCluster = (more: object) =>
  emitter({
    isOpen: true,
    sendCommand() {},
    getRandomNode: () => 'random',
    nodeClient: () => undefined,
    ...more,
  });

class GlideClient {
  close() {}
  ping: () => Promise<unknown>;
  customCommand: () => Promise<unknown>;
  constructor(members: { ping?: () => Promise<unknown>; customCommand?: () => Promise<unknown> }) {
    this.ping = members.ping ?? pong;
    this.customCommand = members.customCommand ?? (async () => 'cluster_state:ok');
  }
}

describe('@adonisjs/redis', () => {
  it('is asked over its current connection, whichever that is', async () => {
    let inner: object = ioredis();
    const service = { connection: () => ({ ioConnection: inner }), quitAll() {} };
    const check = redis(service);
    expect(await say(check)).toEqual([]);
    inner = ioredis({ ping: async () => 'nonsense' });
    expect(await say(check)).toEqual([wrong]);
    inner = {};
    expect(await say(check)).toEqual([closed]);
  });

  it.each(['connecting', 'connect'])('is waited for while its client is in state %s', async (status) => {
    const client = ioredis({ status });
    const said = say(redis({ ioConnection: client }));
    await until(() => expect(client.listenerCount('ready')).toBe(1));
    Object.assign(client, { status: 'ready' });
    client.emit('ready');
    expect(await said).toEqual([]);
    for (const event of ['ready', 'close', 'end']) expect(client.listenerCount(event)).toBe(0);
  });
});

describe('checks.redisMemory', () => {
  const info = (used: number, most: number, machine = 1000) =>
    `# Memory\r\nused_memory:${used}\r\nmaxmemory:${most}\r\ntotal_system_memory:${machine}\r\n`;
  const single = (text: unknown) => ioredis({ info: async () => text });
  const above = (percent: number, limit: number) =>
    expect.stringMatching(new RegExp(`Redis uses 0 MiB of 0 MiB memory, ${percent} %, above ${limit} %$`));
  const masters = (...texts: readonly string[]) =>
    texts.map((text) => ({ client: nodeRedis({ info: async () => text }) }));
  const glide = (answer: unknown) => new GlideClient({ customCommand: async () => answer });
  const cases: readonly (readonly [what: string, client: object, said: readonly unknown[]])[] = [
    ['above its maximum', single(info(96, 100)), [above(96, 95)]],
    ['without a maximum, against the machine', single(info(850, 0)), [above(85, 80)]],
    ['that tells nothing', single(undefined), []],
    [
      'of a cluster, the fullest',
      cluster(async () => 'cluster_state:ok', {
        nodes: () => [single(info(10, 100)), single(info(90, 100)), single(info(20, 100))],
      }),
      [above(90, 80)],
    ],
    ['of a cluster without servers', cluster(async () => 'cluster_state:ok'), []],
    [
      'of a cluster of node-redis',
      nodeCluster({ masters: masters(info(10, 100), info(99, 100)) }),
      [above(99, 95)],
    ],
    ['of GLIDE', glide(info(85, 100)), [above(85, 80)]],
    ['of GLIDE in bytes', glide(Buffer.from(info(85, 100))), [above(85, 80)]],
    [
      'of GLIDE, a list of pairs',
      glide([
        { key: 'one', value: info(1, 100) },
        { key: 'two', value: info(85, 100) },
      ]),
      [above(85, 80)],
    ],
    ['of GLIDE, a map', glide({ one: info(1, 100), two: info(85, 100) }), [above(85, 80)]],
    [
      'that may not be asked for',
      ioredis({ info: refuse('NOPERM secret-of-somebody', { code: 'ECONNRESET' }) }),
      [expect.stringMatching(/^Error health\.E025: Cannot read the memory usage of redis: (?!.*secret)/)],
    ],
  ];
  it.each(cases)('%s', async (_what, client, said) => {
    expect(await say(memory(client))).toEqual(said);
  });
});
