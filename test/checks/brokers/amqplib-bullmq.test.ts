import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { say } from '../say.js';

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

const name = 'the AMQP broker';
/** A connection of amqplib. */
const amqp = (more: object = {}) => emitter({ createChannel: unused, createConfirmChannel: unused, ...more });
type Done = (error: unknown, answer?: unknown) => void;
const closing = (close: () => unknown = async () => {}) => emitter({ close: vi.fn(close) });

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
  it.each<Case>([
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
    ['calls back no channel', amqp({ createChannel: (done: Done) => done(refused) }), [unreachable(name)]],
    ['calls back nothing', amqp({ createChannel: (done: Done) => done(undefined) }), []],
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

describe('BullMQ', () => {
  const server = 'the BullMQ Redis server';
  const ioredis = (more: object = {}) =>
    emitter({ status: 'ready', ping: async () => 'PONG', disconnect: unused, ...more });
  const queue = (more: object) =>
    emitter({ name: 'jobs', getJobCounts: unused, isPaused: unused, add: unused, ...more });
  const over = (client: unknown, more: object = {}) => queue({ connection: { _client: client }, ...more });
  it.each<Case>([
    ['over one in a wrapper', over({ client: ioredis() }), []],
    ['over one in another wrapper', over({ raw: ioredis({ ping: failing }) }), [unreachable(server)]],
    [
      'of 6, over its backend',
      over(ioredis({ ping: failing }), { backend: { connection: { _client: ioredis() } } }),
      [],
    ],
    ['that shows no client', queue({}), []],
  ])('a queue %s', async (_what, client, said) => {
    expect(await say(broker(client))).toEqual(said);
  });
});
