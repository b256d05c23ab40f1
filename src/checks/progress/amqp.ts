import { call, hasMethods, isObject, numberOf, property } from '../client.js';
import { follow, listen, overhear } from '../listening.js';
import { amqpReason, isOpenChannel, overOwnChannel, answerOf } from '../brokers/amqp-channel.js';
import { type Consumer, type ConsumerSettings, type Seen, Tally } from './consumer.js';
import type { AmqpChannel } from './client-shapes.js';

/** What one channel was seen to do. */
interface Channel {
  readonly channel: object;
  readonly unsettled: ReadonlySet<number>;
  /** Whether the server has cancelled a consumer, and why it closed the channel. */
  readonly ended: () => string | undefined;
}

/** A channel tells what it delivers by its events, and what is settled by its methods: it has no events for those. */
export function amqp(given: AmqpChannel, { queue, noAck = false }: ConsumerSettings): Consumer {
  const tally = new Tally();
  let known: Channel | undefined;
  const current = () => {
    // A wrapper of amqp-connection-manager has another channel after each connection.
    const channel = hasMethods(given, 'addSetup') ? property(given, '_channel') : given;
    if (!isObject(channel)) return undefined;
    if (known?.channel !== channel) known = watch(channel, tally, noAck);
    return known;
  };
  // A new channel is followed before its consumers are set up.
  if (hasMethods(given, 'addSetup')) call(given, 'addSetup', () => void current());
  current();
  return {
    name: String(queue),
    async look(starter): Promise<Seen> {
      const followed = current();
      if (followed === undefined)
        return { ...tally.seen, stopped: 'the client has no channel at the moment' };
      const stopped = followed.ended();
      if (stopped !== undefined) return { ...tally.seen, stopped };
      const ready = await overOwnChannel(followed.channel, starter, async (own) =>
        numberOf(await answerOf(own, 'checkQueue', String(queue)), 'messageCount'),
      );
      const consumers = property(followed.channel, 'consumers');
      return {
        ...tally.seen,
        backlog: (ready ?? 0) + followed.unsettled.size,
        note: consumers instanceof Map && consumers.size === 0 ? 'this channel has no consumer' : undefined,
      };
    },
  };
}

function watch(channel: object, tally: Tally, noAck: boolean): Channel {
  const unsettled = new Set<number>();
  let cancelled = false;
  let failure: unknown;
  const settle = (upTo: number | undefined, all: boolean, then: () => void) => {
    for (const tag of all ? [...unsettled] : []) if (upTo === undefined || tag <= upTo) unsettled.delete(tag);
    if (upTo !== undefined) unsettled.delete(upTo);
    then();
  };
  listen(channel, 'delivery', (message) => {
    const tag = tagOf(message);
    if (noAck || tag === undefined) tally.done();
    else unsettled.add(tag);
  });
  listen(channel, 'cancel', () => {
    cancelled = true;
  });
  listen(channel, 'close', () => unsettled.clear());
  overhear(channel, (error) => {
    failure = error;
  });
  const ofResult = (requeue: unknown) => (requeue === false ? tally.done : tally.failed);
  follow(channel, 'ack', ([message, all]) => settle(tagOf(message), all === true, tally.done));
  follow(channel, 'ackAll', () => settle(undefined, true, tally.done));
  follow(channel, 'nack', ([message, all, requeue]) =>
    settle(tagOf(message), all === true, ofResult(requeue)),
  );
  follow(channel, 'nackAll', ([requeue]) => settle(undefined, true, ofResult(requeue)));
  follow(channel, 'reject', ([message, requeue]) => settle(tagOf(message), false, ofResult(requeue)));
  return {
    channel,
    unsettled,
    ended() {
      if (!isOpenChannel(channel)) {
        return failure === undefined
          ? 'its channel is closed'
          : `its channel was closed: ${amqpReason(failure)}`;
      }
      const consumers = property(channel, 'consumers');
      const none = consumers instanceof Map && consumers.size === 0;
      return cancelled && none ? 'the server has cancelled it' : undefined;
    },
  };
}

const tagOf = (message: unknown) => numberOf(property(message, 'fields'), 'deliveryTag');
