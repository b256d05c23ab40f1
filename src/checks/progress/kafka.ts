import { numberOf, property } from '../client.js';
import { listen } from '../listening.js';
import { brokerReason } from '../brokers/reasons.js';
import { span } from '../span.js';
import { type Consumer, type ConsumerSettings, type Seen, Tally } from './consumer.js';
import type { KafkaConsumer } from './client-shapes.js';

/** By then a group has given up a member that sends no heartbeats, as kafkajs has it by default. */
const sessionTimeout = 30_000;

/** A kafkajs consumer reports its work and its lag by instrumentation events. */
export function kafka(consumer: KafkaConsumer, { stalledAfter, life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  const lags = new Map<string, number>();
  let assigned: readonly string[] = [];
  let stopped: string | undefined;
  let connected: false | undefined;
  /** Since when it is in no group, and when it last sent a heartbeat to its group. */
  let outsideSince: number | undefined = performance.now();
  let beatAt: number | undefined;
  const on = (name: string, heard: (payload: unknown) => void) => {
    const event = property(consumer.events, name);
    if (typeof event === 'string')
      listen(life, consumer, event, (given) => heard(property(given, 'payload')));
  };
  // A batch may end after its partition went to another member.
  const isOurs = (partition: string) => assigned.length === 0 || assigned.includes(partition);
  const beat = () => {
    beatAt = performance.now();
  };
  const leave = () => {
    outsideSince ??= performance.now();
  };
  on('GROUP_JOIN', (payload) => {
    stopped = undefined;
    connected = undefined;
    outsideSince = undefined;
    assigned = partitionsOf(property(payload, 'memberAssignment'));
    lags.clear();
    beat();
  });
  on('HEARTBEAT', () => {
    beat();
    // A long job reports progress by it: nothing else sends them while a batch is processed.
    tally.done();
  });
  on('START_BATCH_PROCESS', (payload) => {
    lags.set(partitionOf(payload), lagOf(payload) + (numberOf(payload, 'batchSize') ?? 0));
  });
  on('END_BATCH_PROCESS', (payload) => {
    lags.set(partitionOf(payload), lagOf(payload));
    tally.done();
  });
  on('REBALANCING', leave);
  on('CRASH', (payload) => {
    leave();
    const { fault, text } = brokerReason(property(payload, 'error'));
    const again = property(payload, 'restart') === true;
    connected = again && fault !== 'other' ? false : undefined;
    stopped = `it crashed: ${text}${again ? ', kafkajs will restart it' : ''}`;
  });
  for (const event of ['STOP', 'DISCONNECT']) {
    on(event, () => {
      leave();
      stopped ??= 'it was stopped';
    });
  }
  return {
    look(): Seen {
      const now = performance.now();
      const silence = beatAt === undefined ? 0 : now - beatAt;
      const outside = outsideSince === undefined ? 0 : now - outsideSince;
      const backlog = [...lags].reduce((sum, [of, lag]) => (isOurs(of) ? sum + lag : sum), 0);
      return {
        ...tally.seen,
        backlog,
        paused: isPaused(consumer, assigned),
        connected,
        stopped: stopped ?? absence(outside, backlog > 0 ? 0 : silence, stalledAfter),
        note: silence > stalledAfter ? `no heartbeat sent to its group for ${span(silence)}` : undefined,
      };
    },
  };
}

function absence(outside: number, silence: number, stalledAfter: number): string | undefined {
  if (outside > stalledAfter) return `it has not been in a group for ${span(outside)}`;
  if (silence > Math.max(stalledAfter, sessionTimeout))
    return `no heartbeat sent to its group for ${span(silence)}`;
  return undefined;
}

const partitionOf = (payload: unknown) =>
  `${String(property(payload, 'topic'))}/${String(property(payload, 'partition'))}`;

function lagOf(payload: unknown): number {
  const lag = Number(property(payload, 'offsetLag'));
  return Number.isFinite(lag) ? Math.max(0, lag) : 0;
}

/** `{ jobs: [0, 1] }` as `['jobs/0', 'jobs/1']`. */
function partitionsOf(assignment: unknown): readonly string[] {
  if (typeof assignment !== 'object' || assignment === null) return [];
  return Object.entries(assignment).flatMap(([topic, partitions]: [string, unknown]) =>
    Array.isArray(partitions) ? partitions.map((each) => `${topic}/${String(each)}`) : [],
  );
}

/** Whether all that it was given is paused. */
function isPaused(consumer: KafkaConsumer, assigned: readonly string[]): boolean {
  const paused = new Set(
    consumer.paused().flatMap(({ topic, partitions }) => partitions.map((each) => `${topic}/${each}`)),
  );
  return assigned.length > 0 && assigned.every((each) => paused.has(each));
}
