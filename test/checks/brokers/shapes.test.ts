import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import {
  amqpReason,
  answerOf,
  isOpenChannel,
  overOwnChannel,
} from '../../../src/checks/brokers/amqp-channel.js';
import { never, say, sayInTime, until } from '../say.js';

const broker = (client: unknown) => checks.checkBrokerConnected(client as never);
const emitter = <Members extends object>(members: Members) => Object.assign(new EventEmitter(), members);
const unused = () => {};
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const failing = async () => Promise.reject(refused);

type Case = readonly [what: string, client: object, said: readonly unknown[]];
const missing = (name: string) =>
  `Error health.E032: Not connected to ${name}: the application has not opened the connection, or has closed it`;
const offline = (name: string, text = 'the client has no connection') =>
  `Error health.E031: Cannot connect to ${name}: ${text}`;
const unreachable = (name: string) => offline(name, 'connection refused (ECONNREFUSED)');

describe('kafkajs', () => {
  const events = {
    CONNECT: 'c.connect',
    DISCONNECT: 'c.disconnect',
    CRASH: 'c.crash',
    REQUEST: 'c.request',
    REQUEST_TIMEOUT: 'c.timeout',
  };
  const admin = (describeCluster: () => Promise<unknown>, more: object = { events }) =>
    emitter({ describeCluster, listTopics: unused, ...more });
  const consumer = () => emitter({ describeGroup: unused, paused: () => [], events });
  const crash = { payload: { error: refused } };
  const late = offline('Kafka', 'the cluster did not answer in time');

  it.each<Case>([
    ['answers', admin(async () => ({})), []],
    ['fails', admin(failing), [unreachable('Kafka')]],
    ['shows no events', admin(async () => ({}), {}), []],
  ])('an admin client that %s', async (_what, client, said) => {
    expect(await say(broker(client))).toEqual(said);
    expect(await sayInTime(broker(client))).toEqual(said);
  });

  it('an admin client that tries on tells what it knows by then', async () => {
    let fail = (_error: Error) => {};
    const client = admin(() => new Promise((_resolve, reject) => void (fail = reject)));
    const check = broker(client);
    expect(await say(check, 10)).toEqual([late]);
    // What it comes to later is nobody's.
    fail(new Error('given up'));
    client.emit(events.CRASH, crash);
    expect(await say(check, 10)).toEqual([unreachable('Kafka')]);
    client.emit(events.CONNECT);
    expect(await say(check, 10)).toEqual([late]);
  });

  it('a consumer tells by its events', async () => {
    const client = consumer();
    const check = broker(client);
    await say(check);
    const said = async (event: string, given?: object) => {
      client.emit(event, given);
      return say(check);
    };
    expect(await said(events.CONNECT)).toEqual([]);
    expect(await said(events.REQUEST_TIMEOUT)).toEqual([
      offline('Kafka', 'requests were not answered in time'),
    ]);
    expect(await said(events.REQUEST)).toEqual([]);
    expect(await said(events.CRASH, crash)).toEqual([unreachable('Kafka')]);
    // It disconnects because it crashed.
    expect(await said(events.DISCONNECT)).toEqual([unreachable('Kafka')]);
    expect(await said(events.CONNECT)).toEqual([]);
    expect(await said(events.DISCONNECT)).toEqual([missing('Kafka')]);
  });
});

const name = 'the AMQP broker';
/** A connection of amqplib. */
const amqp = (more: object = {}) => emitter({ createChannel: unused, createConfirmChannel: unused, ...more });
type Done = (error: unknown, answer?: unknown) => void;
const closing = (close: () => unknown = async () => {}) => emitter({ close: vi.fn(close) });
const forbidden = Object.assign(new Error('Channel closed by server: 403 (ACCESS-REFUSED) with "secret"'));

describe('amqplib', () => {
  const channel = (connection: object, more: object = {}) => {
    const made = emitter({
      ack: unused,
      nack: unused,
      checkQueue: unused,
      consume: unused,
      connection,
      ch: 1,
      ...more,
    });
    return made;
  };
  const open = (() => {
    const channels: object[] = [{}];
    const made = channel({ channels });
    channels.push({ channel: made });
    return made;
  })();
  it.each<Case>([
    ['promises a channel', amqp({ createChannel: async () => closing() }), []],
    [
      'calls back a channel',
      amqp({
        createChannel: (done: Done) =>
          done(
            null,
            closing((...given) => given),
          ),
      }),
      [],
    ],
    ['promises no channel', amqp({ createChannel: failing }), [unreachable(name)]],
    ['calls back no channel', amqp({ createChannel: (done: Done) => done(refused) }), [unreachable(name)]],
    ['calls back nothing', amqp({ createChannel: (done: Done) => done(undefined) }), []],
    ['is closed', amqp({ connection: { expectSocketClose: true } }), [missing(name)]],
    ['is a channel', open, []],
    [
      'is a channel that its connection does not know',
      channel({ channels: [{}, { channel: {} }] }),
      [missing(name)],
    ],
    [
      'is a channel of a connection that is closed',
      channel({ channels: [], expectSocketClose: true }),
      [missing(name)],
    ],
    ['is a channel that does not show whether it is open', channel({}), []],
    ['is a channel without a number', channel({ channels: [] }, { ch: undefined }), []],
  ])('that %s', async (_what, client, said) => {
    expect(await say(broker(client))).toEqual(said);
  });

  it('tells why its connection was lost', async () => {
    const connection = amqp({ createChannel: async () => closing() });
    connection.on('error', unused);
    const check = broker(connection);
    expect(await say(check)).toEqual([]);
    Object.assign(connection, { connection: { expectSocketClose: true } });
    connection.emit('error', refused);
    expect(await say(check)).toEqual([unreachable(name)]);
  });

  it('with recovery tells what it is told, until it is connected again', async () => {
    const connection = amqp({ waitForConnect: unused, createChannel: async () => closing() });
    const check = broker(connection);
    expect(await say(check)).toEqual([]);
    for (const event of ['disconnect', 'connect-failed']) {
      connection.emit(event, refused);
      expect(await say(check)).toEqual([unreachable(name)]);
      connection.emit(event);
      expect(await say(check)).toEqual([missing(name)]);
      connection.emit('connect');
      expect(await say(check)).toEqual([]);
    }
  });

  it('closes the channel it opened, and what that comes to is nobody’s', async () => {
    const channels = [closing(), closing(failing)];
    for (const each of channels) {
      expect(await say(broker(amqp({ createChannel: async () => each })))).toEqual([]);
      expect(each.close).toHaveBeenCalledTimes(1);
      expect(() => each.emit('error', new Error('nobody else listens'))).not.toThrow();
    }
  });
});

describe('a channel of its own', () => {
  const starter = { signal: new AbortController().signal };
  /** A class of channels, and what became of them. */
  function channelClass(opened: () => Promise<void> = async () => {}, close: () => unknown = async () => {}) {
    const closed: unknown[] = [];
    class Channel extends EventEmitter {
      connection: unknown;
      constructor(connection: unknown) {
        super();
        this.connection = connection;
      }
      open() {
        return opened();
      }
      close() {
        closed.push(this);
        return close();
      }
    }
    return { closed, beside: new Channel({}) };
  }

  it('is closed, whatever it was asked came to, and never the application’s', async () => {
    const throwing = () => {
      throw new Error('Channel closed');
    };
    for (const close of [async () => {}, failing, throwing]) {
      const { closed, beside } = channelClass(undefined, close);
      expect(await overOwnChannel(beside, starter, async () => 5)).toBe(5);
      await expect(overOwnChannel(beside, starter, failing)).rejects.toBe(refused);
      await until(() => expect(closed).toHaveLength(2));
      expect(closed).not.toContain(beside);
    }
  });

  it('that cannot be opened is not closed', async () => {
    const { closed, beside } = channelClass(failing);
    await expect(overOwnChannel(beside, starter, never)).rejects.toBe(refused);
    expect(closed).toEqual([]);
  });

  it('that the server has closed is not closed again', async () => {
    const { closed, beside } = channelClass();
    const ask = async (own: object) => void Object.assign(own, { connection: { channels: [] }, ch: 0 });
    await overOwnChannel(beside, starter, ask);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toEqual([]);
  });

  it.each([[{}], [{ connection: undefined }], [{ connection: {}, constructor: undefined }]])(
    'is not made beside what is closed: %j',
    async (beside) => {
      await expect(overOwnChannel(beside, starter, never)).rejects.toThrow('has not opened the connection');
    },
  );

  it('is known by its connection', () => {
    const channel = { connection: { channels: [null, {}] }, ch: 0 };
    expect(isOpenChannel(channel)).toBe(false);
    expect(isOpenChannel({})).toBe(true);
  });

  it('is told to be closed in the server’s code, and never in its words', () => {
    expect(amqpReason(forbidden)).toBe('ACCESS-REFUSED (403)');
    expect(amqpReason(refused)).toBe('connection refused (ECONNREFUSED)');
    expect(amqpReason(undefined)).not.toBe('');
  });

  it('answers by callbacks as by promises', async () => {
    const by = (method: unknown) => answerOf({ method }, 'method', 1);
    expect(await by((_one: number, done: Done) => done(null, 'x'))).toBe('x');
    expect(await by((_one: number, done: Done) => done(undefined))).toBeUndefined();
    expect(await by(async () => 'y')).toBe('y');
    await expect(by((_one: number, done: Done) => done(refused))).rejects.toBe(refused);
    await expect(by(failing)).rejects.toBe(refused);
  });
});

describe('amqp-connection-manager', () => {
  const manager = (isConnected: boolean, connection: unknown) =>
    emitter({ isConnected: () => isConnected, createChannel: unused, connection });
  const good = { createChannel: async () => closing() };
  it.each<Case>([
    ['is connected', manager(true, good), []],
    ['is not connected', manager(false, good), [offline(name)]],
    ['has no connection yet', manager(true, undefined), [offline(name)]],
    [
      'is blocked',
      manager(true, { ...good, connection: { blocked: true } }),
      [`Warning health.W013: The AMQP broker does not accept messages: it has blocked this connection`],
    ],
  ])('that %s', async (_what, client, said) => {
    expect(await say(broker(client))).toEqual(said);
  });

  it('tells why it is not connected', async () => {
    const client = manager(false, undefined);
    const check = broker(client);
    await say(check);
    for (const event of ['connectFailed', 'disconnect']) {
      client.emit(event, { err: refused });
      expect(await say(check)).toEqual([unreachable(name)]);
      client.emit('connect');
      expect(await say(check)).toEqual([offline(name)]);
    }
  });
});

describe('BullMQ', () => {
  const server = 'the BullMQ Redis server';
  const ioredis = (more: object = {}) =>
    emitter({ status: 'ready', ping: async () => 'PONG', disconnect: unused, ...more });
  const queue = (more: object) =>
    emitter({ name: 'jobs', getJobCounts: unused, isPaused: unused, add: unused, ...more });
  const over = (client: unknown, more: object = {}) => queue({ connection: { _client: client }, ...more });
  it.each<Case>([
    ['over ioredis', over(ioredis()), []],
    ['over one in a wrapper', over({ client: ioredis() }), []],
    ['over one in another wrapper', over({ raw: ioredis({ ping: failing }) }), [unreachable(server)]],
    [
      'of 6, over its backend',
      over(ioredis({ ping: failing }), { backend: { connection: { _client: ioredis() } } }),
      [],
    ],
    ['that shows no client', queue({}), []],
    [
      'that answers nonsense',
      over(ioredis({ ping: async () => 5 })),
      [offline(server, 'the reply was not a ping reply')],
    ],
    ['that is being closed', over(ioredis(), { closing: Promise.resolve() }), [missing(server)]],
    [
      'whose client is closed',
      over(ioredis({ status: 'end' })),
      [
        `Error health.E032: Not connected to ${server}: the application has not opened the client, or has closed it`,
      ],
    ],
    [
      'whose client connects again',
      over(ioredis({ status: 'reconnecting' })),
      [offline(server, 'the client has no connection (reconnecting)')],
    ],
  ])('a queue %s', async (_what, client, said) => {
    expect(await say(broker(client))).toEqual(said);
  });

  it('is listened to once, however often it is asked', async () => {
    const client = ioredis();
    client.on('error', unused);
    const check = broker(over(client));
    for (let runs = 0; runs < 5; runs += 1) await say(check);
    expect(client.listenerCount('error')).toBeLessThanOrEqual(3);
  });
});

describe('NATS and pg-boss', () => {
  const nats = (more: object) => ({
    flush: async () => {},
    rtt: unused,
    isClosed: () => false,
    drain: unused,
    ...more,
  });
  const boss = (db: unknown) => emitter({ work: unused, offWork: unused, send: unused, getDb: () => db });
  it.each<Case>([
    ['NATS', nats({}), []],
    ['NATS that was closed', nats({ isClosed: () => true }), [missing('NATS')]],
    ['NATS without a server', nats({ protocol: { connected: false } }), [offline('NATS')]],
    [
      'NATS that knows why',
      nats({ protocol: { connected: false, lastError: refused } }),
      [unreachable('NATS')],
    ],
    [
      'NATS whose socket knows why',
      nats({ protocol: { connected: false, transport: { closeError: refused } } }),
      [unreachable('NATS')],
    ],
    ['pg-boss', boss({ executeSql: async () => ({ rows: [] }) }), []],
    [
      'pg-boss that is not started',
      boss({ executeSql: async () => undefined }),
      [missing('the pg-boss database')],
    ],
    [
      'pg-boss 12 that is not started',
      boss({
        opened: false,
        executeSql: () => Promise.reject(new Error('Database not opened. Call open() before executing SQL.')),
      }),
      [missing('the pg-boss database')],
    ],
    ['pg-boss without a database', boss(undefined), [missing('the pg-boss database')]],
  ])('%s', async (_what, client, said) => {
    expect(await say(broker(client))).toEqual(said);
  });
});

it.each([[{}], [5], [[]], ['amqp://guest:guest@localhost']])('refuses what is no client: %j', (client) => {
  expect(() => broker(client)).toThrow(expect.objectContaining({ code: 'LIFESIGN_CLIENT' }));
  expect(() => broker(client)).not.toThrow(/guest/);
});
