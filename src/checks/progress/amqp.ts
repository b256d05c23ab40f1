import { call, hasMethods, isObject, numberOf, property } from '../client.js';
import type { Life } from '../life.js';
import { onCall, listen, listenFirst, monitorErrors } from '../listening.js';
import { amqpReason, isOpenChannel, overOwnChannel, answerOf } from '../brokers/amqp-channel.js';
import { type Consumer, type ConsumerSettings, type Seen, Tally } from './consumer.js';
import type { AmqpChannel } from './client-shapes.js';

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
export function amqp(given: AmqpChannel, { queue, noAck = false, life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  let known: Channel | undefined;
  const current = () => {
    // A wrapper of amqp-connection-manager has another channel after each connection.
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
