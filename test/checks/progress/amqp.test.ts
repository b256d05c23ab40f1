import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Life } from '../../../src/checks/listening.js';
import { amqpConsumer as amqp } from '../../../src/checks/brokers/amqp.js';
import { adapt } from './looking.js';

const methods = { ack: 3_932_240, reject: 3_932_250, nack: 3_932_280 } as const;

/** A connection of amqplib, as far as a channel needs one. */
interface Connection {
  readonly channels: ({ readonly channel: Channel } | null)[];
  ready: number;
}

/** A channel as that of amqplib: what settles a message is sent by one method. */
class Channel extends EventEmitter {
  readonly consumers = new Map([['tag', () => {}]]);
  readonly connection: Connection;
  readonly ch: number;
  readonly sent: unknown[] = [];

  constructor(connection: Connection) {
    super();
    this.connection = connection;
    this.ch = connection.channels.push({ channel: this }) - 1;
  }

  sendImmediately(method: number, fields: object): void {
    this.sent.push([method, fields]);
  }

  ack(message: Message, multiple = false): void {
    this.sendImmediately(methods.ack, { deliveryTag: message.fields.deliveryTag, multiple });
  }

  nack(message: Message, multiple = false, requeue = true): void {
    this.sendImmediately(methods.nack, { deliveryTag: message.fields.deliveryTag, multiple, requeue });
  }

  async open(): Promise<void> {}
  async consume(): Promise<void> {}
  async checkQueue(): Promise<object> {
    return { messageCount: this.connection.ready };
  }

  async close(): Promise<void> {
    this.connection.channels[this.ch] = null;
  }
}

interface Message {
  readonly fields: { readonly deliveryTag: number };
}

const starter = { signal: new AbortController().signal };
const messageOf = (deliveryTag: number): Message => ({ fields: { deliveryTag } });
const settings = {
  queue: 'jobs',
  stalledAfter: 1000,
  get life() {
    return new Life();
  },
};

const step = fc.record({
  does: fc.constantFrom('deliver' as const, 'deliver' as const, 'ack' as const, 'nack' as const),
  tag: fc.nat(30),
  multiple: fc.boolean(),
  requeue: fc.boolean(),
});

describe('a channel', () => {
  it('has as much under way as was delivered and not settled, however it is settled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), fc.nat(5), async (steps, ready) => {
        const connection: Connection = { channels: [], ready };
        const channel = new Channel(connection);
        // Kept before anybody looks at the channel.
        const ack = channel.ack.bind(channel);
        const consumer = adapt(amqp, channel, settings);
        const open = new Set<number>();
        let delivered = 0;
        let done = 0;
        let failed = 0;
        for (const { does, tag, multiple, requeue } of steps) {
          if (does === 'deliver') {
            delivered += 1;
            open.add(delivered);
            channel.emit('delivery', messageOf(delivered));
            continue;
          }
          if (does === 'ack') ack(messageOf(tag), multiple);
          else channel.nack(messageOf(tag), multiple, requeue);
          if (does === 'ack' || !requeue) done += 1;
          else failed += 1;
          for (const each of open)
            if (each === tag || tag === 0 || (multiple && each <= tag)) open.delete(each);
        }
        const seen = await consumer.look(starter);
        expect(seen).toMatchObject({ pending: open.size + ready, mark: done, attempts: failed });
        // Everything was sent, as without us, and the channel that asked is gone.
        expect(channel.sent).toHaveLength(done + failed);
        expect(connection.channels.filter((each) => each !== null)).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });

  it('has nothing under way that its consumer settled, in the tick of the delivery or later, on this channel or the next', async () => {
    const kinds = fc.constantFrom('ack', 'ackAll', 'allUpTo', 'nack', 'reject', 'requeue', 'never');
    const message = fc.record({
      settled: kinds,
      when: fc.constantFrom('tick' as const, 'microtask' as const, 'later' as const),
      reconnects: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 30, size: 'max' }), async (messages) => {
        const connection: Connection = { channels: [], ready: 0 };
        let current = new Channel(connection);
        const setups: (() => void)[] = [];
        const wrapped = {
          get _channel() {
            return current;
          },
          addSetup: async (setup: () => void) => void setups.push(setup),
          ack() {},
          nack() {},
          checkQueue() {},
          consume() {},
          on() {},
        };
        let open = new Set<number>();
        let done = 0;
        let failed = 0;
        let tag = 0;
        let handle: (delivered: Message) => void = () => {};
        // amqplib listens first, and calls the consumer of the application.
        const consumed = (channel: Channel) =>
          channel.on('delivery', (delivered: Message) => handle(delivered));
        consumed(current);
        const consumer = adapt(amqp, wrapped, settings);
        for (const { settled, when, reconnects } of messages) {
          if (reconnects) {
            const last = current;
            connection.channels[last.ch] = null;
            last.emit('close');
            current = new Channel(connection);
            consumed(current);
            for (const setup of setups) setup();
            open = new Set();
            tag = 0;
          }
          const channel = current;
          const settle = (delivered: Message) => {
            const { deliveryTag } = delivered.fields;
            if (settled === 'never') return;
            if (settled === 'ackAll')
              channel.sendImmediately(methods.ack, { deliveryTag: 0, multiple: true });
            else if (settled === 'reject')
              channel.sendImmediately(methods.reject, { deliveryTag, requeue: false });
            else if (settled === 'ack' || settled === 'allUpTo')
              channel.ack(delivered, settled === 'allUpTo');
            else channel.nack(delivered, false, settled === 'requeue');
            if (settled === 'requeue') failed += 1;
            else done += 1;
            for (const each of open) {
              const isMeant = settled === 'ackAll' || (settled === 'allUpTo' && each <= deliveryTag);
              if (isMeant || each === deliveryTag) open.delete(each);
            }
          };
          let settling: Promise<void> | undefined;
          handle = (delivered) => {
            if (when === 'tick') settle(delivered);
            else if (when === 'microtask') settling = Promise.resolve().then(() => settle(delivered));
          };
          tag += 1;
          open.add(tag);
          channel.emit('delivery', messageOf(tag));
          await settling;
          if (when === 'later') settle(messageOf(tag));
          expect(await consumer.look(starter)).toMatchObject({
            pending: open.size,
            mark: done,
            attempts: failed,
          });
        }
      }),
      { numRuns: 150 },
    );
  });

  it('says what to write where messages are never acknowledged', async () => {
    const channel = new Channel({ channels: [], ready: 0 });
    const consumer = adapt(amqp, channel, settings);
    channel.emit('delivery', messageOf(1));
    expect(await consumer.look(starter)).toMatchObject({ note: expect.stringContaining('noAck: true') });
    channel.ack(messageOf(1));
    channel.emit('delivery', messageOf(2));
    expect(await consumer.look(starter)).toMatchObject({ pending: 1, note: undefined });
  });

  it('has nothing under way where consumers have noAck: a delivery is progress', async () => {
    const channel = new Channel({ channels: [], ready: 3 });
    const consumer = adapt(amqp, channel, { ...settings, noAck: true });
    for (let tag = 1; tag < 5; tag += 1) channel.emit('delivery', messageOf(tag));
    expect(await consumer.look(starter)).toMatchObject({ pending: 3, mark: 4, attempts: 0 });
  });

  it('throws what its own methods throw', () => {
    const channel = new Channel({ channels: [], ready: 0 });
    channel.sendImmediately = () => {
      throw new Error('Channel closed');
    };
    adapt(amqp, channel, settings);
    expect(() => channel.ack(messageOf(1))).toThrow('Channel closed');
  });
});
