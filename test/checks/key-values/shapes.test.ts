import { errorMonitor, EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { never, say, sayInTime, until } from '../say.js';

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
const offline = (state: string) =>
  `Error health.E004: Cannot connect to redis: the client has no connection (${state})`;
const blocked = expect.stringMatching(/^Info health\.I\d+: The server answers but this client does not/);
const down = (slots: string) =>
  `Error health.E023: Redis cluster is down: it accepts no commands, ${slots} of 16384 slots have a server`;

/** An ioredis. */
const ioredis = (more: object = {}) => emitter({ status: 'ready', ping: pong, disconnect() {}, ...more });
const front = (command: unknown) => ({ commandQueue: { peekFront: () => ({ command }) } });
const cluster = (answer: () => unknown, more: object = {}) =>
  ioredis({ isCluster: true, cluster: answer, nodes: () => undefined, ...more });

describe('ioredis', () => {
  const cases: readonly (readonly [what: string, client: object, said: readonly unknown[]])[] = [
    ['answers', ioredis(), []],
    ['answers nonsense', ioredis({ ping: async () => 'PING' }), [wrong]],
    ['answers in the words of a subscriber', ioredis({ ping: async () => ['pong', ''] }), []],
    ['connects when it is asked', ioredis({ status: 'wait' }), []],
    ['was closed', ioredis({ status: 'end' }), [closed]],
    ['has no connection', ioredis({ status: 'reconnecting' }), [offline('reconnecting')]],
    ['is a cluster that shows no servers', cluster(async () => 'cluster_state:ok'), []],
    ['is a cluster that answers nonsense', cluster(async () => 'OK'), [wrong]],
    [
      'is a cluster that is down',
      cluster(async () => 'cluster_state:fail\r\ncluster_slots_ok:12'),
      [down('12')],
    ],
    [
      'is a cluster that is down and does not count',
      cluster(async () => 'cluster_state:fail'),
      [down('not all')],
    ],
    ['is a cluster whose user may not ask', cluster(refuse('NOPERM this user has no permissions')), []],
    [
      'is a cluster that fails',
      cluster(refuse('boom', { code: 'ECONNREFUSED' })),
      [expect.stringContaining('health.E004: Cannot connect to redis')],
    ],
    [
      'waits in a command, and cannot be doubled',
      ioredis(front({ name: 'BLPOP', args: ['jobs', '0'] })),
      [blocked],
    ],
    ['waits for a stream', ioredis(front({ name: 'xread', args: ['BLOCK', '0'] })), [blocked]],
    ['reads a stream', ioredis(front({ name: 'xread', args: ['COUNT', '1'] })), []],
    ['reads a stream, without a list of what it was given', ioredis(front({ name: 'xread' })), []],
    ['does another thing', ioredis(front({ name: 'get', args: ['block'] })), []],
    ['does nothing', ioredis({ commandQueue: { peekFront: () => undefined } }), []],
  ];
  it.each(cases)('that %s', async (_what, client, said) => {
    expect(await say(redis(client))).toEqual(said);
  });

  it('is asked where a server of the cluster is connected', async () => {
    const asked: string[] = [];
    const node = (status: string) =>
      ioredis({
        status,
        async cluster() {
          asked.push(status);
          return 'cluster_state:ok';
        },
      });
    const nodes = () => ['none', node('connecting'), node('ready'), node('ready')];
    expect(await say(redis(cluster(never, { nodes })))).toEqual([]);
    expect(asked).toEqual(['ready']);
  });

  it('that waits in a command is asked over another connection, which is closed again', async () => {
    const disconnect = vi.fn();
    const beside = ioredis({ disconnect });
    const waiting = ioredis({ ping: never, ...front({ name: 'brpop' }), duplicate: () => beside });
    expect(await say(redis(waiting))).toEqual([]);
    expect(disconnect).toHaveBeenCalledTimes(1);
    expect(() => beside.emit('error', new Error('nobody else listens'))).not.toThrow();
  });

  it('that loses its connection while it is asked is not waited for', async () => {
    const client = ioredis({ ping: never });
    const said = say(redis(client));
    await until(() => expect(client.listenerCount('close')).toBe(1));
    client.emit('close');
    expect(await said).toEqual([offline('lost during the ping')]);
  });

  it('tells why it has no connection where the application listens too', async () => {
    const client = ioredis({ status: 'reconnecting' });
    client.on('error', () => {});
    const check = redis(client);
    const said = say(check);
    await until(() => expect(client.listenerCount(errorMonitor)).toBe(1));
    client.emit('error', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
    expect(await said).toEqual([expect.stringMatching(/^Error health\.E004: .*refused/)]);
    // It is known now, and nothing is waited for.
    expect(await say(check)).toEqual(await said);
    client.emit('ready');
    expect(await say(check, 20)).toEqual([offline('reconnecting')]);
    expect(client.listenerCount(errorMonitor)).toBe(1);
    expect(client.listenerCount('error')).toBe(1);
  });
});

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

describe('node-redis', () => {
  const ready = nodeRedis();
  const cases: readonly (readonly [what: string, client: object, said: readonly unknown[]])[] = [
    ['answers', nodeRedis(), []],
    ['is a pool, which has no state', nodeRedis({ isReady: undefined }), []],
    ['answers nonsense', nodeRedis({ ping: async () => undefined }), [wrong]],
    ['was closed', nodeRedis({ isOpen: false }), [closed]],
    ['has no connection', nodeRedis({ isReady: false }), [offline('reconnecting')]],
    ['is a cluster without a server', nodeCluster({}), [offline('reconnecting')]],
    ['is a cluster that finds a server', nodeCluster({ nodeClient: async () => nodeRedis() }), []],
    [
      'is a cluster with a server that is connected',
      nodeCluster({ masters: [{ client: nodeRedis({ isReady: false }) }], replicas: [{ client: ready }] }),
      [],
    ],
    [
      'is a cluster that is down',
      nodeCluster({ masters: [{ client: nodeRedis({ sendCommand: async () => 'cluster_state:fail' }) }] }),
      [down('not all')],
    ],
    [
      'is a cluster whose user may not ask',
      nodeCluster({ masters: [{ client: nodeRedis({ sendCommand: refuse('ERR unknown command') }) }] }),
      [],
    ],
    [
      'is a cluster that fails',
      nodeCluster({ masters: [{ client: nodeRedis({ sendCommand: refuse('x', { code: 'ECONNRESET' }) }) }] }),
      [expect.stringContaining('health.E007: Redis ping failed')],
    ],
  ];
  it.each(cases)('that %s', async (_what, client, said) => {
    expect(await say(redis(client))).toEqual(said);
  });

  it('is waited for where there is all the time', async () => {
    const duplicate = vi.fn();
    expect(await sayInTime(redis(nodeRedis({ duplicate })))).toEqual([]);
    expect(duplicate).not.toHaveBeenCalled();
  });

  it.each(['destroy', 'disconnect'])('that waits is asked beside, and left by %s()', async (method) => {
    const leave = vi.fn();
    const beside = emitter({ ping: pong, connect: async () => {}, [method]: leave });
    const duplicate = vi.fn(() => beside);
    const check = redis(nodeRedis({ ping: never, duplicate }));
    expect(await say(check, 40)).toEqual([blocked]);
    expect(leave).toHaveBeenCalledTimes(1);
    expect(() => beside.emit('error', new Error('nobody else listens'))).not.toThrow();
    // While it still waits for that one, it is not waited for again.
    const said = say(check, 10_000_000);
    await until(() => expect(duplicate).toHaveBeenCalledTimes(2));
    expect(await said).toEqual([blocked]);
  });

  it('that waits and cannot be asked beside is waited for', async () => {
    let answer = (_reply: string) => {};
    const ping = () => new Promise<string>((resolve) => void (answer = resolve));
    for (const duplicate of [() => undefined, () => nodeRedis()]) {
      const asked = vi.fn(duplicate);
      const said = say(redis(nodeRedis({ ping, duplicate: asked })), 40);
      await until(() => expect(asked).toHaveBeenCalled());
      answer('PONG');
      expect(await said).toEqual([]);
    }
    const connect = vi.fn(refuse('no room'));
    const said = say(redis(nodeRedis({ ping, duplicate: () => nodeRedis({ connect }) })), 40);
    await until(() => expect(connect).toHaveBeenCalled());
    answer('PONG');
    expect(await said).toEqual([]);
  });
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
class GlideClusterClient extends GlideClient {}
const closing = refuse('The client is closed', { name: 'ClosingError' });

describe('Valkey GLIDE', () => {
  const cases: readonly (readonly [what: string, client: object, said: readonly unknown[]])[] = [
    ['answers', new GlideClient({}), []],
    ['answers nonsense', new GlideClient({ ping: async () => 5 }), [wrong]],
    ['was closed', new GlideClient({ ping: closing }), [closed]],
    [
      'fails',
      new GlideClient({ ping: refuse('x', { code: 'ECONNREFUSED' }) }),
      [expect.stringContaining('health.E004')],
    ],
    [
      'is a single one whose user may not ping',
      new GlideClient({ ping: refuse('NOPERM') }),
      [expect.any(String)],
    ],
    ['is a cluster', new GlideClusterClient({ ping: never }), []],
    [
      'is a cluster that is down',
      new GlideClusterClient({ customCommand: async () => 'cluster_state:fail' }),
      [down('not all')],
    ],
    ['is a cluster that was closed', new GlideClusterClient({ customCommand: closing }), [closed]],
    ['is a cluster whose user may not ask', new GlideClusterClient({ customCommand: refuse('NOPERM') }), []],
    [
      'is a cluster that fails',
      new GlideClusterClient({ customCommand: refuse('x', { code: 'ECONNREFUSED' }) }),
      [expect.stringContaining('health.E004')],
    ],
  ];
  it.each(cases)('that %s', async (_what, client, said) => {
    expect(await say(redis(client))).toEqual(said);
  });
});

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

  it('is one of its connections', async () => {
    expect(await say(redis({ ioConnection: ioredis() }))).toEqual([]);
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

  it('is waited for no longer than there is time', async () => {
    const client = ioredis({ status: 'connecting' });
    const controller = new AbortController();
    const said = redis({ ioConnection: client })({ signal: controller.signal, name: 'tested' });
    await until(() => expect(client.listenerCount('ready')).toBe(1));
    controller.abort();
    expect(await said).toEqual([expect.objectContaining({ id: 'health.E004' })]);
    expect(client.listenerCount('ready')).toBe(0);
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
    ['below its maximum', single(info(50, 100)), []],
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
    ['of one of node-redis', nodeRedis({ info: async () => info(85, 100) }), [above(85, 80)]],
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
    ['of AdonisJS', { ioConnection: single(info(85, 100)) }, [above(85, 80)]],
    [
      'of a client that is closed',
      ioredis({ status: 'end' }),
      [
        'Error health.E025: Cannot read the memory usage of redis: the application has not opened the client, or has closed it',
      ],
    ],
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
