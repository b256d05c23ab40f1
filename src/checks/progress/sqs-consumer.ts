import { numberOf, property, textOf } from '../client.js';
import { Unconnected } from '../brokers/broker.js';
import { listen, monitorErrors } from '../listening.js';
import { span } from '../../core/span.js';
import { type Consumer, type ConsumerSettings, type Seen, Tally } from './consumer.js';
import type { SqsConsumer } from './worker-shapes.js';

/** The longest poll that SQS allows. */
const maxPoll = 20_000;

/** sqs-consumer reports its messages by events. It polls when it has none, so the queue's length is not requested. */
export function sqsConsumer(consumer: SqsConsumer, { life, stalledAfter }: ConsumerSettings): Consumer {
  const tally = new Tally();
  const received = new Set<unknown>();
  let failure: { readonly error: unknown } | undefined;
  let answeredAt = performance.now();
  const on = (event: string, heard: (message: unknown) => void) => listen(life, consumer, event, heard);
  const answered = () => {
    failure = undefined;
    answeredAt = performance.now();
  };
  for (const event of ['started', 'empty']) on(event, answered);
  on('message_received', (message) => {
    answered();
    received.add(idOf(message));
  });
  on('message_processed', (message) => {
    tally.done();
    received.delete(idOf(message));
  });
  for (const event of ['processing_error', 'timeout_error']) {
    listen(life, consumer, event, (_error, message) => {
      tally.failed();
      received.delete(idOf(message));
    });
  }
  // A handler may end without acknowledging its message: the next poll comes after all of them.
  on('response_processed', () => {
    answered();
    if (received.size > 0) tally.failed();
    received.clear();
  });
  monitorErrors(life, consumer, (error: unknown, message?: unknown) => {
    if (message !== undefined) return;
    failure = { error };
    answeredAt = performance.now();
  });
  return {
    name: queueOf(consumer),
    look(): Seen {
      if (!consumer.status.isRunning)
        return { ...tally.seen, stopped: 'the application has stopped it, or not started it' };
      if (failure !== undefined) throw failure.error;
      const silence = performance.now() - answeredAt;
      const pauses = numberOf(consumer, 'pollingWaitTimeMs') ?? 0;
      if (received.size === 0 && silence > stalledAfter + maxPoll + pauses) {
        throw new Unconnected('unreachable', `SQS has not answered for ${span(silence)}`);
      }
      return { ...tally.seen, pending: received.size };
    },
  };
}

const idOf = (message: unknown) => property(message, 'MessageId');

/** `orders` of `https://sqs.eu-west-1.amazonaws.com/123456789012/orders`. */
const queueOf = (consumer: SqsConsumer) => textOf(property(consumer, 'queueUrl'))?.split('/').at(-1);
