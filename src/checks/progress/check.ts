import {
  type Check,
  type CheckContext,
  type Opinion,
  type OpinionContext,
  withScope,
} from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import {
  anyFunction,
  type Duration,
  flag,
  optional,
  requireValue,
  text,
  timeout,
} from '../../core/options/rules.js';
import { optionReader } from '../../core/options/read-options.js';
import { span } from '../../core/time.js';
import { type AmqpChannel, amqpConsumer } from '../brokers/amqp.js';
import type { Consumer, ConsumerSettings, Seen } from '../brokers/broker.js';
import { bullmqConsumer, type BullQueue, type BullWorker, isBullQueue } from '../brokers/bullmq.js';
import { type KafkaConsumer, kafkaConsumer } from '../brokers/kafka.js';
import { jetStream, type JetStreamConsumer } from '../brokers/nats.js';
import { pgBossConsumer, type PgBossLike } from '../brokers/pg-boss.js';
import { type PlatformaticStream, platformaticStream } from '../brokers/platformatic-kafka.js';
import { isGetter, property } from '../client.js';
import { clientCheck, follow, type Life } from '../listening.js';
import { brokerReason, Failure, reasonOf } from '../reasons.js';
import { clientUnsupported, Family, type Kind, recognise } from '../recognise.js';
import { polling } from './polling.js';
import { Timeline } from './timeline.js';

type Answer<T> = T | PromiseLike<T>;

interface Common {
  /** The name of the work in messages. Default: the name of the queue, if the client has one. */
  readonly name?: string | undefined;
  /** How long there may be no progress, while there is work, before the check fails. */
  readonly stalledAfter: Duration;
}

interface WorkOptions extends Common {
  readonly consumer?: undefined;
  /** How much work waits or is under way: 0 is idle. */
  readonly pending: () => Answer<number | bigint>;
  /** When work was last done or reported progress; a Date, or any number that changes with it. `undefined`: not yet. */
  readonly processed: () => Answer<Date | number | bigint | undefined | null>;
  /** Whether work is paused on purpose. */
  readonly paused?: (() => Answer<boolean>) | undefined;
}

/** Progress of a consumer of a supported client, or of the one that a function returns now. */
interface ConsumerOptions<Client> extends Common {
  readonly consumer: Client | (() => Client | undefined | null);
}

interface BullOptions extends ConsumerOptions<BullWorker> {
  /** The queue it works on, which counts the waiting jobs. */
  readonly queue: BullQueue;
}

interface NamedQueueOptions extends ConsumerOptions<AmqpChannel | PgBossLike> {
  /** The name of its queue. */
  readonly queue: string;
  /** Of a channel: whether its consumers have the option `noAck`, so that a delivery is the end of a message. */
  readonly noAck?: boolean | undefined;
}

/** Options of `checks.progress`: two functions, or a consumer of a supported client. */
export type ProgressOptions =
  | WorkOptions
  | BullOptions
  | NamedQueueOptions
  | ConsumerOptions<JetStreamConsumer | KafkaConsumer | PlatformaticStream>;

const ofFunctions = ['name', 'stalledAfter', 'pending', 'processed', 'paused'];

const ofConsumer = ['name', 'stalledAfter', 'consumer', 'queue', 'noAck'];

type MakeConsumer = (settings: ConsumerSettings) => Consumer;

interface Row extends Kind<MakeConsumer> {
  /** Throws if the consumer cannot use this queue. */
  readonly requireQueue?: (queue: unknown) => void;
  /** Whether it reports the work of all that share a queue, and not only of this instance. */
  readonly isShared?: true;
}

const rows: readonly Row[] = [
  { ...bullmqConsumer, requireQueue: requireBullQueue },
  { ...amqpConsumer, requireQueue: requireQueueName },
  { ...jetStream, isShared: true },
  kafkaConsumer,
  platformaticStream,
  { ...pgBossConsumer, requireQueue: requireQueueName },
];

const consumers = new Family<object, MakeConsumer>('consumer', rows);

const fix =
  'Write checks.progress({ pending: () => queue.length, processed: () => lastDone, stalledAfter: 60_000 }).';

/**
 * A check that work makes progress, not only that a connection is up: Error `health.E036` when there is work and none of it is
 * done for `stalledAfter`. An empty queue is fine, and so is a long job that reports progress; a paused queue is
 * Info `health.I006`. Pass two functions, or a consumer of a supported client.
 *
 * @example health.check('orders', checks.progress({ pending: () => queue.length, processed: () => lastDone, stalledAfter: 60_000 }));
 * @example health.check('orders', checks.progress({ consumer: worker, queue, stalledAfter: 60_000 })); // BullMQ
 * @example health.check('orders', checks.progress({ consumer: channel, queue: 'orders', stalledAfter: 60_000 })); // amqplib
 */
export function progress(options: ProgressOptions): Check {
  const consumer = property(options, 'consumer');
  const option = optionReader(
    'checks.progress',
    options,
    consumer === undefined ? ofFunctions : ofConsumer,
    fix,
  );
  const name = option('name', optional(text));
  const stalledAfter = option('stalledAfter', timeout);
  const row = rows.find((each) => recognise([each], consumer) !== undefined);
  if (consumer !== undefined && row === undefined && !isGetter(consumer)) {
    const supported = [...consumers.names, 'a function that returns one of them'];
    throw clientUnsupported('consumer of checks.progress', consumer, supported);
  }
  const queue = property(options, 'queue');
  row?.requireQueue?.(queue);
  const noAck = option('noAck', optional(flag));
  const source =
    consumer === undefined
      ? consumerOfFunctions(option)
      : (life: Life) => consumerOfClient(consumer, { queue, noAck, stalledAfter, life });
  const check = clientCheck(name === undefined ? 'progress' : `progress_${name}`, (life) =>
    reportProgress(source(life), name, stalledAfter),
  );
  if (row?.isShared === true) return withScope(check, 'shared');
  return withScope(check, 'auto', { dependency: check, ask: findScope });
}

function requireBullQueue(queue: unknown): void {
  if (isBullQueue(queue)) return;
  const supported = ['bullmq Queue, because a Worker cannot count waiting jobs'];
  throw clientUnsupported('queue of checks.progress', queue, supported);
}

function requireQueueName(queue: unknown): void {
  const write = "Write checks.progress({ consumer: channel, queue: 'orders', stalledAfter: 60_000 }).";
  requireValue(queue, { ...text, expects: 'the name of the queue' }, 'queue of checks.progress', write);
}

function consumerOfFunctions(option: ReturnType<typeof optionReader>): () => Consumer {
  const poll = <T>(name: string, read: (answer: unknown) => T | undefined, expects: string) => {
    const ask = option(name, anyFunction);
    return polling(`${name}()`, () => Reflect.apply(ask, undefined, []), read, expects);
  };
  const askPending = poll('pending', count, 'a number of at least 0');
  const askMark = poll('processed', mark, 'a valid Date, a number, undefined or null');
  const isPausable = option('paused', optional(anyFunction)) !== undefined;
  const askPaused = isPausable ? poll('paused', boolean, flag.expects) : async () => false;
  const read = async (signal: AbortSignal) => {
    const answers = [askPending(signal), askMark(signal), askPaused(signal)] as const;
    const [pending, mark, paused] = await Promise.all(answers);
    return { pending, mark, paused };
  };
  return () => ({ read });
}

const boolean = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

function count(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 ? number : undefined;
}

function mark(value: unknown): number | string | undefined {
  if (value === undefined || value === null) return 'none';
  const moment = value instanceof Date ? value.getTime() : value;
  if (typeof moment === 'bigint') return String(moment);
  return typeof moment === 'number' && !Number.isNaN(moment) ? moment : undefined;
}

const same = (seen: Seen) => seen;

/** Progress as a consumer reports it, or the one that a function returns now. */
function consumerOfClient(consumer: unknown, settings: ConsumerSettings): Consumer {
  const adapt = (client: unknown, life: Life) => {
    const make = consumers.recognise(client);
    if (make === undefined) throw new Failure('the consumer function did not return a supported consumer');
    return make({ ...settings, life });
  };
  const current = follow(consumer, adapt, settings.life);
  let name: string | undefined;
  const readCurrent = (signal: AbortSignal) => {
    const now = current();
    name = now?.name ?? name;
    return now?.read(signal) ?? { stopped: 'there is currently none' };
  };
  return {
    get name() {
      return name;
    },
    read: polling('the consumer', readCurrent, same, 'an object', (thrown) => brokerReason(thrown).text),
  };
}

const unknowns: ReadonlySet<string> = /* @__PURE__ */ new Set<string>([
  messageIds.progressUnknown,
  messageIds.timedOut,
  messageIds.stillRunning,
]);

/** Stalled work is a fault of this instance; a broker that cannot be reached is a fault of all. */
async function findScope({ result }: OpinionContext): Promise<Opinion> {
  const isShared = result.messages.some(
    ({ id, fields }) => unknowns.has(id) || fields?.['connected'] === false,
  );
  return isShared
    ? { scope: 'shared', evidence: 'the source of the work cannot be reached' }
    : { scope: 'instance', evidence: 'this instance makes no progress' };
}

function reportProgress(
  source: Consumer,
  ownName: string | undefined,
  stalledAfter: number,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const timeline = new Timeline(stalledAfter);
  return async ({ signal }) => {
    try {
      return messagesOf(await source.read(signal), timeline, ownName ?? source.name);
    } catch (thrown) {
      const name = ownName ?? source.name;
      const hint = 'Until this is fixed, stalled work goes unnoticed.';
      const text = `Cannot determine the progress${name === undefined ? '' : ` of ${name}`}: ${reasonOf(thrown).text}`;
      return [new ErrorMessage(text, { id: messageIds.progressUnknown, hint })];
    }
  };
}

const lostFor = 60_000;

function messagesOf(seen: Seen, timeline: Timeline, name: string | undefined): readonly CheckMessage[] {
  const { note, stopped, connected, lostFor: ago = Infinity } = seen;
  const { pending = 0, mark, paused = false } = seen;
  const { state, silence } = timeline.add(performance.now(), { pending, mark, paused });
  const of = name === undefined ? '' : ` of ${name}`;
  const on = name === undefined ? '' : ` on ${name}`;
  if (stopped !== undefined && !paused) {
    const hint = 'Start it again, or restart the application.';
    const fields = connected === false ? { connected } : undefined;
    const text = `The consumer${of} is not taking work: ${stopped}`;
    return [new ErrorMessage(text, { id: messageIds.consumerStopped, hint, fields })];
  }
  const messages: CheckMessage[] = [];
  const waiting = `${pending} waiting or in progress`;
  if (state === 'paused') {
    const text = `Work${on} is paused: ${waiting}`;
    messages.push(new Info(text, { id: messageIds.progressPaused, fields: { pending } }));
  }
  if (state === 'stalled') {
    const text = `No progress${on} for ${span(silence)}: ${waiting}${note === undefined ? '' : `; ${note}`}`;
    const hint =
      'There is work but nothing processes it: find out what the consumer is waiting for, or restart it.';
    const fields = { pending, silence_ms: Math.round(silence) };
    messages.push(new ErrorMessage(text, { id: messageIds.progressStalled, hint, fields }));
  }
  if (ago <= lostFor) {
    const text = `A job${of} was taken from this consumer ${span(ago)} ago and may run twice`;
    const hint = 'Its lock was not renewed in time: look for a blocked event loop, or give jobs more time.';
    messages.push(new Info(text, { id: messageIds.lockLost, hint }));
  }
  return messages;
}
