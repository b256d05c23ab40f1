import { span } from '../../core/time.js';
import { hasMethods, isObject, numberOf, property } from '../client.js';
import { late, type Starter, unlessLate } from '../flight.js';
import { type Life, listen } from '../listening.js';
import {
  type Broker,
  brokerReason,
  closed,
  type Consumer,
  type ConsumerSettings,
  offline,
  type Seen,
  Tally,
} from './broker.js';
import { kind } from '../recognise.js';

/** A consumer of kafkajs. */
export interface KafkaConsumer {
  readonly events: { readonly GROUP_JOIN: string; readonly HEARTBEAT: string };
  paused(): readonly { readonly topic: string; readonly partitions: readonly number[] }[];
  describeGroup(): Promise<unknown>;
}

const isKafkaConsumer = (value: unknown): value is KafkaConsumer =>
  hasMethods(value, 'describeGroup', 'paused', 'on') && 'events' in value && isObject(value.events);

/** An admin client of kafkajs. */
export interface KafkaAdmin {
  describeCluster(): Promise<unknown>;
  listTopics(): Promise<string[]>;
}

const isKafkaAdmin = (value: unknown): value is KafkaAdmin =>
  hasMethods(value, 'describeCluster', 'listTopics');

const isKafka = (value: unknown): value is KafkaAdmin | KafkaConsumer =>
  isKafkaAdmin(value) || isKafkaConsumer(value);

/** The share of a check's time after which a known outage is the answer: kafkajs retries for long. */
const share = 0.8;

/** An admin client describes the cluster. A consumer is judged by its events: every request it could send needs a permission. */
function kafkaBroker(client: KafkaAdmin | KafkaConsumer, life: Life): Broker {
  const events = property(client, 'events');
  let connected: boolean | undefined;
  let crash: unknown;
  let silentSince: number | undefined;
  const on = (name: string, heard: (payload: unknown) => void) => {
    const event = property(events, name);
    if (typeof event === 'string') listen(life, client, event, (given) => heard(property(given, 'payload')));
  };
  const answered = () => {
    crash = undefined;
    silentSince = undefined;
  };
  on('CONNECT', () => {
    connected = true;
    answered();
  });
  on('DISCONNECT', () => {
    connected = false;
  });
  on('CRASH', (payload) => {
    crash = property(payload, 'error');
  });
  on('REQUEST', answered);
  on('REQUEST_TIMEOUT', () => {
    silentSince ??= performance.now();
  });
  return {
    name: 'Kafka',
    async ping(starter) {
      if (connected === false && crash === undefined) throw closed();
      if (isKafkaAdmin(client)) return describe(client.describeCluster(), starter, () => crash);
      if (crash !== undefined) throw crash;
      if (silentSince !== undefined) throw offline('requests were not answered in time');
    },
  };
}

async function describe(answer: Promise<unknown>, { signal }: Starter, crash: () => unknown): Promise<void> {
  if ((await unlessLate(answer, signal, share)) !== late) return;
  answer.catch(() => {});
  throw crash() ?? offline('the cluster did not answer in time');
}

/** By then a group has given up a member that sends no heartbeats, as kafkajs has it by default. */
const sessionTimeout = 30_000;

type Interruption = Pick<Seen, 'stopped' | 'connected'>;

/** A kafkajs consumer reports its work and its lag by instrumentation events. */
function kafkaMember(consumer: KafkaConsumer, { stalledAfter, life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  const lags = new Map<string, number>();
  const membership = new Membership(stalledAfter);
  let interruption: Interruption = {};
  const on = (name: string, heard: (payload: unknown) => void) => {
    const event = property(consumer.events, name);
    if (typeof event === 'string')
      listen(life, consumer, event, (given) => heard(property(given, 'payload')));
  };
  on('GROUP_JOIN', (payload) => {
    interruption = {};
    membership.join(partitionsOf(property(payload, 'memberAssignment')));
    lags.clear();
  });
  on('HEARTBEAT', () => {
    membership.beat();
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
  on('REBALANCING', () => membership.leave());
  on('CRASH', (payload) => {
    membership.leave();
    interruption = crashOf(payload);
  });
  for (const event of ['STOP', 'DISCONNECT']) {
    on(event, () => {
      membership.leave();
      interruption = { stopped: 'it was stopped', ...interruption };
    });
  }
  return {
    look(): Seen {
      const pending = [...lags].reduce((sum, [of, lag]) => (membership.has(of) ? sum + lag : sum), 0);
      return {
        ...tally.seen,
        pending,
        paused: isPaused(consumer, membership.partitions),
        stopped: membership.absence(pending > 0),
        note: membership.silence(stalledAfter),
        ...interruption,
      };
    },
  };
}

/** The consumer in its group: its partitions, and when the group last heard from it. */
class Membership {
  readonly #stalledAfter: number;
  partitions: readonly string[] = [];
  #outsideSince: number | undefined = performance.now();
  #beatAt: number | undefined;

  constructor(stalledAfter: number) {
    this.#stalledAfter = stalledAfter;
  }

  join(partitions: readonly string[]): void {
    this.#outsideSince = undefined;
    this.partitions = partitions;
    this.beat();
  }

  beat(): void {
    this.#beatAt = performance.now();
  }

  leave(): void {
    this.#outsideSince ??= performance.now();
  }

  /** Whether a partition is its own: a batch may end after its partition went to another member. */
  has(partition: string): boolean {
    return this.partitions.length === 0 || this.partitions.includes(partition);
  }

  /** Why it takes no work. A busy one may send no heartbeats. */
  absence(isBusy: boolean): string | undefined {
    const outside = ago(this.#outsideSince);
    if (outside > this.#stalledAfter) return `it has not been in a group for ${span(outside)}`;
    return isBusy ? undefined : this.silence(Math.max(this.#stalledAfter, sessionTimeout));
  }

  /** That the group has not heard from it for longer than `limit` milliseconds. */
  silence(limit: number): string | undefined {
    const silence = ago(this.#beatAt);
    return silence > limit ? `no heartbeat sent to its group for ${span(silence)}` : undefined;
  }
}

const ago = (moment: number | undefined) => (moment === undefined ? 0 : performance.now() - moment);

function crashOf(payload: unknown): Interruption {
  const { fault, text } = brokerReason(property(payload, 'error'));
  const again = property(payload, 'restart') === true;
  return {
    connected: again && fault !== 'other' ? false : undefined,
    stopped: `it crashed: ${text}${again ? ', kafkajs will restart it' : ''}`,
  };
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

export const kafka = kind(['kafkajs consumer or admin'], isKafka, kafkaBroker);
export const kafkaConsumer = kind(['kafkajs consumer'], isKafkaConsumer, kafkaMember);
