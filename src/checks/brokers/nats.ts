import { numberOf, property, shape } from '../client.js';
import { notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import { orAborted } from '../round-trip.js';
import { type Broker, type Consumer, offline, type Seen } from './broker.js';

/** A connection of nats or @nats-io/transport-node. */
export interface NatsConnection {
  flush(): Promise<void>;
  rtt(): Promise<number>;
  isClosed(): boolean;
}

/** A JetStream consumer of nats or @nats-io/jetstream: `await js.consumers.get('STREAM', 'consumer')`. */
export interface JetStreamConsumer {
  info(cached?: boolean): Promise<{ readonly num_pending: number; readonly num_ack_pending: number }>;
  consume(...options: never): unknown;
  fetch(...options: never): unknown;
}

const natsBroker = (connection: NatsConnection): Broker => ({
  name: 'NATS',
  async ping(signal) {
    if (connection.isClosed()) throw notOpen('connection');
    requireConnected(connection);
    await orAborted(connection.flush(), signal);
  },
});

/** Throws if a connection has no server: it would queue requests until it has one. */
function requireConnected(connection: unknown): void {
  const protocol = property(connection, 'protocol');
  if (property(protocol, 'connected') !== false) return;
  throw property(protocol, 'lastError') ?? property(protocol, 'transport', 'closeError') ?? offline();
}

interface Info {
  readonly waiting: number;
  readonly unacknowledged: number;
  readonly floor: number;
  readonly delivered: number;
  /** The last message that was delivered, by its number in the stream. */
  readonly reached: number;
  readonly at: number;
}

/** The server counts for all clients of a consumer: how many messages wait, and up to which one all are acknowledged. */
function jetStreamConsumer(consumer: JetStreamConsumer): Consumer {
  let before: Info | undefined;
  let mark = 0;
  return {
    async read(): Promise<Seen> {
      requireConnected(property(consumer, 'api', 'nc'));
      let answer: unknown;
      try {
        answer = await consumer.info(false);
      } catch (thrown) {
        if (!isGone(thrown)) throw thrown;
        return { mark, stopped: 'the server no longer has it' };
      }
      const info = read(answer);
      const config = property(answer, 'config');
      if (before !== undefined && (isProgress(before, info, config) || isRejected(before, info, config)))
        mark += 1;
      before = info;
      return {
        mark,
        pending: work(info),
        paused: property(answer, 'paused') === true,
        note: isPulled(answer) ? undefined : 'nothing is pulling',
      };
    },
  };
}

const work = ({ waiting, unacknowledged }: Info) => waiting + unacknowledged;

const read = (info: unknown): Info => ({
  waiting: numberOf(info, 'num_pending') ?? 0,
  unacknowledged: numberOf(info, 'num_ack_pending') ?? 0,
  floor: numberOf(property(info, 'ack_floor'), 'consumer_seq') ?? 0,
  delivered: numberOf(property(info, 'delivered'), 'consumer_seq') ?? 0,
  reached: numberOf(property(info, 'delivered'), 'stream_seq') ?? 0,
  at: performance.now(),
});

/**
 * Whether messages were acknowledged. If more were delivered for the first time than are held now, those in between were, also if an older one
 * keeps the floor where it is and as many arrive. With a filter, the numbers of the stream count others too.
 */
function isProgress(before: Info, now: Info, config: unknown): boolean {
  if (now.floor !== before.floor || work(now) < work(before)) return true;
  const isFiltered =
    Boolean(property(config, 'filter_subject')) || property(config, 'filter_subjects') !== undefined;
  return !isFiltered && now.reached - before.reached > now.unacknowledged - before.unacknowledged;
}

/** Whether messages were rejected and delivered again: the consumer works. A message without an acknowledgement is also delivered again, every `ack_wait`. */
function isRejected(before: Info, now: Info, config: unknown): boolean {
  const wait = (numberOf(config, 'ack_wait') ?? 30e9) / 1e6;
  const late = now.unacknowledged * (1 + Math.ceil((now.at - before.at) / wait));
  return now.delivered - before.delivered - Math.max(0, before.waiting - now.waiting) > late;
}

const isPulled = (info: unknown) =>
  numberOf(info, 'num_waiting') !== 0 || property(info, 'config', 'deliver_subject') !== undefined;

function isGone(thrown: unknown): boolean {
  const text = `${String(property(thrown, 'code'))} ${String(property(thrown, 'message'))}`;
  return /\b404\b|(consumer|stream) not found/i.test(text);
}

export const nats = kind(
  ['nats connection'],
  shape<NatsConnection>('flush', 'rtt', 'isClosed', 'drain'),
  natsBroker,
);
export const jetStream = kind(
  ['nats JetStream consumer'],
  shape<JetStreamConsumer>('info', 'consume', 'fetch', 'next'),
  jetStreamConsumer,
);
