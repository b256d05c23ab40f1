import { span } from '../../core/time.js';
import { hasMethods, isObject, listOf, numberOf, property, shape } from '../client.js';
import { type Life, listen } from '../listening.js';
import { brokerReason, notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import { late, unlessLate } from '../round-trip.js';
import { type Broker, type Consumer, type ConsumerSettings, offline, type Seen } from './broker.js';

export interface KafkaConsumer {
  readonly events: { readonly GROUP_JOIN: string; readonly HEARTBEAT: string };
  paused(): readonly { readonly topic: string; readonly partitions: readonly number[] }[];
  describeGroup(): Promise<unknown>;
}

const isKafkaConsumer = (value: unknown): value is KafkaConsumer =>
  hasMethods(value, 'describeGroup', 'paused', 'on') && 'events' in value && isObject(value.events);

export interface KafkaAdmin {
  describeCluster(): Promise<unknown>;
  listTopics(): Promise<string[]>;
}

const isKafkaAdmin = shape<KafkaAdmin>('describeCluster', 'listTopics');

const isKafka = (value: unknown): value is KafkaAdmin | KafkaConsumer =>
  isKafkaAdmin(value) || isKafkaConsumer(value);

/** The share of a check's time after which a known outage is the answer: kafkajs retries for long. */
const share = 0.8;

type OnEvent = (name: string, listener: (payload: unknown) => unknown) => void;

/** Listens to the instrumentation events of a client, by their names in its `events`. */
const eventsOf =
  (client: object, life: Life): OnEvent =>
  (name, listener) => {
    const event = property(property(client, 'events'), name);
    if (typeof event === 'string') listen(life, client, event, (data) => listener(property(data, 'payload')));
  };

/** An admin client describes the cluster. A consumer is judged by its events: every request it could send needs a permission. */
function kafkaBroker(client: KafkaAdmin | KafkaConsumer, life: Life): Broker {
  let connected: boolean | undefined;
  let crash: unknown;
  let isSilent = false;
  const answered = () => {
    crash = undefined;
    isSilent = false;
  };
  const on = eventsOf(client, life);
  on('CONNECT', () => {
    connected = true;
    answered();
  });
  on('DISCONNECT', () => (connected = false));
  on('CRASH', (payload) => (crash = property(payload, 'error')));
  on('REQUEST', answered);
  on('REQUEST_TIMEOUT', () => (isSilent = true));
  return {
    name: 'Kafka',
    async ping(signal) {
      if (connected === false && crash === undefined) throw notOpen('connection');
      if (isKafkaAdmin(client)) {
        if ((await unlessLate(client.describeCluster(), signal, share)) !== late) return;
        throw crash ?? offline('the cluster did not answer in time');
      }
      if (crash !== undefined) throw crash;
      if (isSilent) throw offline('requests were not answered in time');
    },
  };
}

/** By then a group has removed a member that sends no heartbeats, with the defaults of kafkajs. */
const sessionTimeout = 30_000;

type Interruption = Pick<Seen, 'stopped' | 'connected'>;

/** A kafkajs consumer reports its work, its lag and its membership by instrumentation events. */
function kafkaMember(consumer: KafkaConsumer, { stalledAfter, life }: ConsumerSettings): Consumer {
  let mark = 0;
  const lags = new Map<string, number>();
  let interruption: Interruption = {};
  let partitions: readonly string[] = [];
  /** When it left its group, and when it last sent a heartbeat to it. */
  let outsideSince: number | undefined = performance.now();
  let beatAt: number | undefined;
  const beat = () => (beatAt = performance.now());
  const leave = () => (outsideSince ??= performance.now());
  const on = eventsOf(consumer, life);
  on('GROUP_JOIN', (payload) => {
    interruption = {};
    outsideSince = undefined;
    partitions = partitionsOf(property(payload, 'memberAssignment'));
    lags.clear();
    beat();
  });
  on('HEARTBEAT', () => {
    beat();
    // While a batch is processed, only the handler of a long job sends heartbeats: they are progress.
    mark += 1;
  });
  on('START_BATCH_PROCESS', (payload) => {
    lags.set(partitionOf(payload), lagOf(payload) + (numberOf(payload, 'batchSize') ?? 0));
  });
  on('END_BATCH_PROCESS', (payload) => {
    lags.set(partitionOf(payload), lagOf(payload));
    mark += 1;
  });
  on('REBALANCING', leave);
  on('CRASH', (payload) => {
    leave();
    interruption = crashOf(payload);
  });
  for (const event of ['STOP', 'DISCONNECT']) {
    on(event, () => {
      leave();
      interruption = { stopped: 'it was stopped', ...interruption };
    });
  }
  /** A text if it has sent no heartbeat for longer than `limit` milliseconds. */
  const silence = (limit: number) =>
    ago(beatAt) > limit ? `no heartbeat sent to its group for ${span(ago(beatAt))}` : undefined;
  const absence = (isBusy: boolean) => {
    if (ago(outsideSince) > stalledAfter) return `it has not been in a group for ${span(ago(outsideSince))}`;
    return isBusy ? undefined : silence(Math.max(stalledAfter, sessionTimeout));
  };
  return {
    read(): Seen {
      // A batch may end after its partition went to another member.
      const own = [...lags].filter(([of]) => partitions.length === 0 || partitions.includes(of));
      const pending = own.reduce((sum, [, lag]) => sum + lag, 0);
      return {
        mark,
        pending,
        paused: isPaused(consumer, partitions),
        stopped: absence(pending > 0),
        note: silence(stalledAfter),
        ...interruption,
      };
    },
  };
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
  return Object.entries(Object(assignment)).flatMap(([topic, partitions]) =>
    listOf(partitions).map((each) => `${topic}/${String(each)}`),
  );
}

function isPaused(consumer: KafkaConsumer, assigned: readonly string[]): boolean {
  const paused = new Set(
    consumer.paused().flatMap(({ topic, partitions }) => partitions.map((each) => `${topic}/${each}`)),
  );
  return assigned.length > 0 && assigned.every((each) => paused.has(each));
}

export const kafka = kind(['kafkajs consumer or admin'], isKafka, kafkaBroker);
export const kafkaConsumer = kind(['kafkajs consumer'], isKafkaConsumer, kafkaMember);
