import { isPromise } from '../../core/objects.js';
import { call, hasMethods, isObject, numberOf, property } from '../client.js';
import { orAborted, type Starter } from '../flight.js';
import { type Life, listen, listenFirst, monitorErrors, onCall } from '../listening.js';
import {
  type Broker,
  brokerReason,
  closed,
  type Consumer,
  type ConsumerSettings,
  offline,
  type Seen,
  Tally,
  Unconnected,
} from './broker.js';
import { kind } from '../recognise.js';

/** A connection of amqplib, of promises or callbacks, with or without `recovery`. */
export interface AmqpConnection {
  createChannel(...given: never): unknown;
  createConfirmChannel(...given: never): unknown;
  updateSecret(...given: never): unknown;
}

/** A connection of amqp-connection-manager. */
export interface AmqpManager {
  isConnected(): boolean;
  createChannel(...given: never): unknown;
  readonly connection: unknown;
}

const isAmqpManager = (value: unknown): value is AmqpManager =>
  hasMethods(value, 'isConnected', 'createChannel', 'on') && 'connection' in value;

const isChannelWrapper = (value: unknown) => hasMethods(value, 'addSetup');

const isAmqp = (value: unknown): value is AmqpConnection | AmqpChannel =>
  (hasMethods(value, 'createChannel', 'createConfirmChannel', 'on') || isAmqpChannel(value)) &&
  !isChannelWrapper(value);

/** A channel of amqplib, of promises or callbacks, or a `ChannelWrapper` of amqp-connection-manager. */
export interface AmqpChannel {
  ack(message: never, allUpTo?: boolean): void;
  nack(message: never, allUpTo?: boolean, requeue?: boolean): void;
  checkQueue(queue: string, ...more: never): unknown;
  consume(queue: string, onMessage: never, ...more: never): unknown;
}

const isAmqpChannel = (value: unknown): value is AmqpChannel =>
  hasMethods(value, 'ack', 'nack', 'checkQueue', 'consume', 'on');

const name = 'the AMQP broker';

/** A connection of amqplib, or one of its channels, which leads to its connection. */
function amqpBroker(client: AmqpConnection | AmqpChannel, life: Life): Broker {
  let lost: { readonly error: unknown } | undefined;
  monitorErrors(life, client, (error) => {
    lost = { error };
  });
  // Those with `recovery` reconnect by themselves, and emit events.
  for (const event of ['disconnect', 'connect-failed']) {
    listen(life, client, event, (error) => {
      lost = { error };
    });
  }
  listen(life, client, 'connect', () => {
    lost = undefined;
  });
  return {
    name,
    async ping(starter) {
      const raw = property(client, 'connection');
      const recovers = hasMethods(client, 'waitForConnect');
      if (recovers ? lost !== undefined : isClosed(raw)) throw lost?.error ?? closed();
      if (property(raw, 'blocked') === true) throw blocked();
      if (hasMethods(client, 'createChannel')) await openAndClose(client, starter);
      else if (!isOpenChannel(client)) throw closed();
    },
  };
}

/** A connection of amqp-connection-manager, which makes new ones by itself. */
function managerBroker(manager: AmqpManager, life: Life): Broker {
  let lost: { readonly error: unknown } | undefined;
  for (const event of ['connectFailed', 'disconnect']) {
    listen(life, manager, event, (given) => {
      lost = { error: property(given, 'err') };
    });
  }
  listen(life, manager, 'connect', () => {
    lost = undefined;
  });
  return {
    name,
    async ping(starter) {
      const { connection } = manager;
      if (!manager.isConnected() || !isObject(connection)) throw lost?.error ?? offline();
      if (property(property(connection, 'connection'), 'blocked') === true) throw blocked();
      await openAndClose(connection, starter);
    },
  };
}

const blocked = () => new Unconnected('blocked', 'it has blocked this connection');

/** The connection is closed permanently once its socket is expected to be. */
const isClosed = (raw: unknown) => property(raw, 'expectSocketClose') === true;

/** AMQP 0-9-1 has no ping: to open a channel and to closeOpened it again is a round trip that needs no right and leaves nothing. */
async function openAndClose(connection: object, { signal }: Starter): Promise<void> {
  const opening = answerOf(connection, 'createChannel');
  // One that is opened later is closed then.
  opening.then(closeOpened, () => {});
  try {
    const channel = await orAborted(opening, signal);
    call(channel, 'on', 'error', () => {});
  } catch (thrown) {
    // All of them are in use, so that the connection is.
    if (!/no channels left/i.test(String(property(thrown, 'message')))) throw thrown;
  }
}

function closeOpened(channel: unknown): void {
  if (isObject(channel)) answerOf(channel, 'close').catch(() => {});
}

/** The result of a method of amqplib, which returns a promise or takes a callback. */
function answerOf(target: object, method: string, ...given: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, answer?: unknown) =>
      error === null || error === undefined ? resolve(answer) : reject(error);
    const returned = call(target, method, ...given, done);
    if (isPromise(returned)) void returned.then(resolve, reject);
  });
}

/** Whether the connection of a channel still knows it. */
function isOpenChannel(channel: object): boolean {
  const channels = property(property(channel, 'connection'), 'channels');
  const number = property(channel, 'ch');
  if (!Array.isArray(channels) || typeof number !== 'number') return true;
  return property(channels[number], 'channel') === channel;
}

/**
 * Uses a separate channel on the same connection and closes it again: an error of the server closes the
 * channel it came over, and that must not be the application's.
 */
async function overOwnChannel<T>(
  sibling: object,
  { signal }: Starter,
  use: (channel: object) => Promise<T>,
): Promise<T> {
  const connection = property(sibling, 'connection');
  const Channel = property(sibling, 'constructor');
  if (!isObject(connection) || typeof Channel !== 'function') throw closed();
  const own: object = Reflect.construct(Channel, [connection]);
  call(own, 'on', 'error', () => {});
  const opening = answerOf(own, 'open');
  try {
    await orAborted(opening, signal);
    return await orAborted(use(own), signal);
  } finally {
    // One that is opened later is closed then.
    opening.then(
      () => close(own),
      () => {},
    );
  }
}

function close(channel: object): void {
  if (!isOpenChannel(channel)) return;
  try {
    answerOf(channel, 'close').catch(() => {});
  } catch {
    // The connection is closed, and the channel with it.
  }
}

/** Why a server closed a channel: its code and its name for that, without the words after them. */
function amqpReason(thrown: unknown): string {
  const found = /\b(\d{3}) \(([A-Z][A-Z-]{2,40})\)/.exec(String(property(thrown, 'message')).slice(0, 500));
  return found === null ? brokerReason(thrown).text : `${found[2]} (${found[1]})`;
}

// The numbers of the methods in AMQP 0-9-1: class 60, and 80, 90 and 120.
const basicAck = 0x3c_00_50;

const basicReject = 0x3c_00_5a;

const basicNack = 0x3c_00_78;

/** Deliveries and acknowledgements of one channel. */
interface Channel {
  readonly channel: object;
  readonly unsettled: ReadonlySet<number>;
  /** Whether the server has cancelled a consumer, and why it closed the channel. */
  readonly ended: () => string | undefined;
  /** A possible reason for no progress. */
  readonly note: () => string | undefined;
}

/** A channel reports deliveries by events. It has none for settled messages, so its send method is watched. */
function amqpChannel(given: AmqpChannel, { queue, noAck = false, life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  let known: Channel | undefined;
  const current = () => {
    // A wrapper of amqpConsumer-connection-manager has another channel after each connection.
    const channel = hasMethods(given, 'addSetup') ? property(given, '_channel') : given;
    if (!isObject(channel)) return undefined;
    if (known?.channel !== channel) known = watch(channel, tally, noAck, life.next());
    return known;
  };
  // A new channel is followed before its consumers are set up.
  if (hasMethods(given, 'addSetup')) {
    const setup = () => void current();
    life.whileOpen(() => {
      Promise.resolve(call(given, 'addSetup', setup)).catch(() => {});
      life.onClose(() => void Promise.resolve(call(given, 'removeSetup', setup)).catch(() => {}));
    });
  }
  current();
  return {
    name: String(queue),
    async look(starter): Promise<Seen> {
      const followed = current();
      if (followed === undefined)
        return { ...tally.seen, stopped: 'the client currently has no channel', connected: false };
      const stopped = followed.ended();
      if (stopped !== undefined) return { ...tally.seen, stopped };
      const ready = await overOwnChannel(followed.channel, starter, async (own) =>
        numberOf(await answerOf(own, 'checkQueue', String(queue)), 'messageCount'),
      );
      const consumers = property(followed.channel, 'consumers');
      return {
        ...tally.seen,
        pending: (ready ?? 0) + followed.unsettled.size,
        note:
          consumers instanceof Map && consumers.size === 0 ? 'this channel has no consumer' : followed.note(),
      };
    },
  };
}

function watch(channel: object, tally: Tally, noAck: boolean, life: Life): Channel {
  const unsettled = new Set<number>();
  let cancelled = false;
  let settled = false;
  let failure: unknown;
  const settle = (upTo: number, all: boolean, then: () => void) => {
    // In the protocol, 0 means all of them.
    for (const tag of all ? [...unsettled] : [upTo]) if (upTo === 0 || tag <= upTo) unsettled.delete(tag);
    then();
  };
  // Before amqplib calls the consumer: many acknowledge in the tick of the delivery.
  listenFirst(life, channel, 'delivery', (message) => {
    const tag = tagOf(message);
    if (noAck || tag === undefined) tally.done();
    else unsettled.add(tag);
  });
  listen(life, channel, 'cancel', () => {
    cancelled = true;
  });
  listen(life, channel, 'close', () => unsettled.clear());
  monitorErrors(life, channel, (error) => {
    failure = error;
  });
  // Everything that settles a message goes through it, even if the application kept a reference to a method.
  onCall(life, channel, 'sendImmediately', ([method, fields]) => {
    if (method !== basicAck && method !== basicNack && method !== basicReject) return;
    settled = true;
    const tag = numberOf(fields, 'deliveryTag') ?? 0;
    const comesAgain = method !== basicAck && property(fields, 'requeue') !== false;
    settle(tag, tag === 0 || property(fields, 'multiple') === true, comesAgain ? tally.failed : tally.done);
  });
  return {
    channel,
    unsettled,
    note: () =>
      settled || unsettled.size === 0
        ? undefined
        : 'this channel has not acknowledged a message yet: if it consumes with noAck, write noAck: true in checks.progress',
    ended() {
      if (!isOpenChannel(channel)) {
        return failure === undefined
          ? 'its channel is closed'
          : `its channel was closed: ${amqpReason(failure)}`;
      }
      const consumers = property(channel, 'consumers');
      const none = consumers instanceof Map && consumers.size === 0;
      return cancelled && none ? 'the server cancelled it' : undefined;
    },
  };
}

const tagOf = (message: unknown) => numberOf(property(message, 'fields'), 'deliveryTag');

export const amqp = [
  kind(['amqp-connection-manager'], isAmqpManager, managerBroker),
  kind(['amqplib connection or channel'], isAmqp, amqpBroker),
];
export const amqpConsumer = kind(
  ['amqplib channel', 'amqp-connection-manager ChannelWrapper'],
  isAmqpChannel,
  amqpChannel,
);
