import { isPromise } from '../../core/objects.js';
import { replace } from '../../core/replace.js';
import { call, hasMethods, isObject, numberOf, property, shape } from '../client.js';
import { follow, type Life, listen, monitorErrors } from '../listening.js';
import { brokerReason, Failure, notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import { orAborted } from '../round-trip.js';
import { type Broker, type Consumer, type ConsumerSettings, offline, type Seen } from './broker.js';

/** A connection of amqplib, of promises or callbacks, with or without `recovery`. */
interface AmqpConnection {
  createChannel(...given: never): unknown;
  createConfirmChannel(...given: never): unknown;
  updateSecret(...given: never): unknown;
}

/** A connection of amqp-connection-manager. */
interface AmqpManager {
  isConnected(): boolean;
  createChannel(...given: never): unknown;
  readonly connection: unknown;
}

/** A channel of amqplib, of promises or callbacks, or a `ChannelWrapper` of amqp-connection-manager. */
export interface AmqpChannel {
  ack(message: never, allUpTo?: boolean): void;
  nack(message: never, allUpTo?: boolean, requeue?: boolean): void;
  checkQueue(queue: string, ...more: never): unknown;
  consume(queue: string, onMessage: never, ...more: never): unknown;
}

export type AmqpClient = AmqpConnection | AmqpChannel | AmqpManager;

const isAmqpManager = (value: unknown): value is AmqpManager =>
  hasMethods(value, 'isConnected', 'createChannel', 'on') && 'connection' in value;

const isAmqpChannel = shape<AmqpChannel>('ack', 'nack', 'checkQueue', 'consume', 'on');

const isChannelWrapper = (value: unknown) => hasMethods(value, 'addSetup');

const isAmqp = (value: unknown): value is AmqpConnection | AmqpChannel =>
  (hasMethods(value, 'createChannel', 'createConfirmChannel', 'on') || isAmqpChannel(value)) &&
  !isChannelWrapper(value);

const name = 'the AMQP broker';

function amqpBroker(client: AmqpConnection | AmqpChannel, life: Life): Broker {
  const loss = watchLoss(client, life);
  return {
    name,
    async ping(signal) {
      const raw = property(client, 'connection');
      // With `recovery` it reconnects by itself. Without, it stays closed once it expects its socket to close.
      const recovers = hasMethods(client, 'waitForConnect');
      const isClosed = recovers ? loss() !== undefined : property(raw, 'expectSocketClose') === true;
      if (isClosed) throw loss()?.error ?? notOpen('connection');
      requireUnblocked(raw);
      if (hasMethods(client, 'createChannel')) await openAndClose(client, signal);
      else if (!isOpenChannel(client)) throw notOpen('connection');
    },
  };
}

function managerBroker(manager: AmqpManager, life: Life): Broker {
  const loss = watchLoss(manager, life);
  return {
    name,
    async ping(signal) {
      const { connection } = manager;
      if (!manager.isConnected() || !isObject(connection)) throw loss()?.error ?? offline();
      requireUnblocked(property(connection, 'connection'));
      await openAndClose(connection, signal);
    },
  };
}

/** Why a connection was lost; undefined once it is there again. */
function watchLoss(client: object, life: Life): () => { readonly error: unknown } | undefined {
  let loss: { readonly error: unknown } | undefined;
  const onLoss = (event: unknown) => {
    // amqp-connection-manager has it in an object.
    loss = { error: isObject(event) && 'err' in event ? event.err : event };
  };
  monitorErrors(life, client, onLoss);
  for (const name of ['disconnect', 'connect-failed', 'connectFailed']) listen(life, client, name, onLoss);
  listen(life, client, 'connect', () => (loss = undefined));
  return () => loss;
}

function requireUnblocked(raw: unknown): void {
  if (property(raw, 'blocked') === true) throw new Failure('it has blocked this connection', 'blocked');
}

/** AMQP 0-9-1 has no ping: opening and closing a channel is a round trip that needs no permission. */
async function openAndClose(connection: object, signal: AbortSignal): Promise<void> {
  try {
    await withChannel(resultOf(connection, 'createChannel'), signal, async () => {});
  } catch (thrown) {
    // If all channels are in use, the connection works.
    if (!/no channels left/i.test(String(property(thrown, 'message')))) throw thrown;
  }
}

/** Messages in a queue that no consumer holds. Read over a channel of our own: an error of the server closes the channel it came over. */
async function countReady(sibling: object, queue: string, signal: AbortSignal): Promise<number> {
  const connection = property(sibling, 'connection');
  const Channel = property(sibling, 'constructor');
  if (!isObject(connection) || typeof Channel !== 'function') throw notOpen('connection');
  const own: object = Reflect.construct(Channel, [connection]);
  return withChannel(
    resultOf(own, 'open').then(() => own),
    signal,
    async (channel) => {
      const counts = await orAborted(resultOf(channel, 'checkQueue', queue), signal);
      return numberOf(counts, 'messageCount') ?? 0;
    },
  );
}

/** Uses a channel of our own and closes it, also if it opens too late. */
async function withChannel<T>(
  opening: Promise<unknown>,
  signal: AbortSignal,
  use: (channel: unknown) => Promise<T>,
): Promise<T> {
  const opened = opening.then((channel) => {
    call(channel, 'on', 'error', () => {});
    return channel;
  });
  try {
    return await use(await orAborted(opened, signal));
  } finally {
    opened.then(close, () => {});
  }
}

function close(channel: unknown): void {
  if (isObject(channel) && isOpenChannel(channel)) resultOf(channel, 'close').catch(() => {});
}

/** The result of a method of amqplib, which returns a promise or accepts a callback. */
function resultOf(target: unknown, method: string, ...args: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, answer?: unknown) =>
      error === null || error === undefined ? resolve(answer) : reject(error);
    const returned = call(target, method, ...args, done);
    if (isPromise(returned)) void returned.then(resolve, reject);
  });
}

/** Whether a channel is still one of its connection's channels. */
function isOpenChannel(channel: object): boolean {
  const channels = property(channel, 'connection', 'channels');
  const number = property(channel, 'ch');
  if (!Array.isArray(channels) || typeof number !== 'number') return true;
  return property(channels[number], 'channel') === channel;
}

/** Why a server closed a channel: its code and its name for that, without the text after them. */
function amqpReason(thrown: unknown): string {
  const code = /\b(\d{3}) \(([A-Z][A-Z-]{2,40})\)/.exec(String(property(thrown, 'message')).slice(0, 500));
  return code === null ? brokerReason(thrown).text : `${code[2]} (${code[1]})`;
}

function amqpConsumerOf(client: AmqpChannel, { queue, noAck = false, life }: ConsumerSettings): Consumer {
  let mark = 0;
  const progressed = () => (mark += 1);
  const isWrapper = isChannelWrapper(client);
  // A wrapper of amqp-connection-manager has another channel after each connection.
  const channelOf = isWrapper ? () => property(client, '_channel') : client;
  const current = follow(channelOf, (channel, its) => watchChannel(channel, progressed, noAck, its), life);
  if (isWrapper) {
    // A new channel is watched before its consumers are set up.
    const setup = () => void current();
    const change = (method: string) => void Promise.resolve(call(client, method, setup)).catch(() => {});
    life.hold(() => {
      change('addSetup');
      return () => change('removeSetup');
    });
  }
  current();
  return {
    name: String(queue),
    async read(signal): Promise<Seen> {
      const readChannel = current();
      if (readChannel === undefined)
        return { mark, stopped: 'the client currently has no channel', connected: false };
      const { channel, unacknowledged, stopped, note } = readChannel();
      if (stopped !== undefined) return { mark, stopped };
      return { mark, pending: unacknowledged + (await countReady(channel, String(queue), signal)), note };
    },
  };
}

/** The numbers of the methods in AMQP 0-9-1: class 60, and 80, 90 and 120. */
const basicAck = 0x3c_00_50;
const basicReject = 0x3c_00_5a;
const basicNack = 0x3c_00_78;

/** Counts deliveries and acknowledgements of one channel. It reports deliveries by events; it has none for acknowledgements, so the method that sends them is replaced. */
function watchChannel(client: unknown, progressed: () => void, noAck: boolean, life: Life) {
  const channel: object = Object(client);
  const unacknowledged = new Set<number>();
  let cancelled = false;
  let hasAcknowledged = false;
  let failure: unknown;
  const onDelivery = (message: unknown) => {
    const tag = numberOf(property(message, 'fields'), 'deliveryTag');
    if (noAck || tag === undefined) progressed();
    else unacknowledged.add(tag);
  };
  const onSend = (method: unknown, fields: unknown) => {
    if (method !== basicAck && method !== basicNack && method !== basicReject) return;
    hasAcknowledged = true;
    const upTo = numberOf(fields, 'deliveryTag') ?? 0;
    // In the protocol, 0 means all of them.
    if (upTo === 0) unacknowledged.clear();
    const all = property(fields, 'multiple') === true;
    for (const tag of all ? unacknowledged : [upTo]) if (tag <= upTo) unacknowledged.delete(tag);
    progressed();
  };
  // Before amqplib calls the consumer: many acknowledge in the tick of the delivery.
  listen(life, channel, 'delivery', onDelivery, 'prependListener');
  watchSends(channel, onSend, life);
  listen(life, channel, 'cancel', () => (cancelled = true));
  listen(life, channel, 'close', () => unacknowledged.clear());
  monitorErrors(life, channel, (error) => (failure = error));
  return () => {
    const consumers = property(channel, 'consumers');
    const hasConsumer = !(consumers instanceof Map && consumers.size === 0);
    let stopped: string | undefined;
    let note: string | undefined;
    if (!isOpenChannel(channel))
      stopped =
        failure === undefined ? 'its channel is closed' : `its channel was closed: ${amqpReason(failure)}`;
    else if (cancelled && !hasConsumer) stopped = 'the server cancelled it';
    if (!hasConsumer) note = 'this channel has no consumer';
    else if (!hasAcknowledged && unacknowledged.size > 0) note = neverAcknowledged;
    return { channel, unacknowledged: unacknowledged.size, stopped, note };
  };
}

const neverAcknowledged =
  'this channel has not acknowledged a message yet: if it consumes with noAck, write noAck: true in checks.progress';

/** Every acknowledgement is sent by this method, even if the application kept a reference to `ack`. */
function watchSends(channel: object, onSend: (method: unknown, fields: unknown) => void, life: Life): void {
  if (!hasMethods(channel, 'sendImmediately')) return;
  const { sendImmediately }: { sendImmediately: (...given: never) => unknown } = channel;
  life.hold(() =>
    replace(channel, 'sendImmediately', function (this: unknown, ...args: readonly unknown[]) {
      const returned: unknown = Reflect.apply(sendImmediately, this, args);
      if (!life.closed) onSend(args[0], args[1]);
      return returned;
    }),
  );
}

export const amqp = [
  kind(['amqp-connection-manager'], isAmqpManager, managerBroker),
  kind(['amqplib connection or channel'], isAmqp, amqpBroker),
];
export const amqpConsumer = kind(
  ['amqplib channel', 'amqp-connection-manager ChannelWrapper'],
  isAmqpChannel,
  amqpConsumerOf,
);
