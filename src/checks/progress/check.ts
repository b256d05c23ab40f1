import {
  type Check,
  type CheckContext,
  type Opinion,
  type OpinionContext,
  withScope,
} from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import { type Duration, flag, text, timeout, requireValue } from '../../core/options/rules.js';
import { optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions } from '../../core/options/read-options.js';
import { span } from '../../core/time.js';
import { type AmqpChannel, amqpConsumer } from '../brokers/amqp.js';
import { type Consumer, type ConsumerSettings, faultOf, type Seen } from '../brokers/broker.js';
import { bullmqConsumer, type BullQueue, type BullWorker, isBullQueue } from '../brokers/bullmq.js';
import { type KafkaConsumer, kafkaConsumer } from '../brokers/kafka.js';
import { jetStream, type JetStreamConsumer } from '../brokers/nats.js';
import { pgBossConsumer, type PgBossLike } from '../brokers/pg-boss.js';
import { type PlatformaticStream, platformaticStream } from '../brokers/platformatic-kafka.js';
import { isGetter } from '../client.js';
import { clientUnsupported } from '../errors.js';
import type { Starter } from '../flight.js';
import { clientCheck } from '../listening.js';
import { Family, type Kind, recognise } from '../recognise.js';
import { polling, Unknown } from './polling.js';
import { type Look, Timeline, type Verdict } from './timeline.js';

type Answer<T> = T | PromiseLike<T>;

/** How much work waits or is under way. */
type Pending = () => Answer<number | bigint>;

/** When work was last done or reported progress, or any number that changes with it, such as how much was done. */
type Processed = () => Answer<Date | number | bigint | undefined | null>;

type Paused = () => Answer<boolean>;

interface Common {
  /** The name of the work in messages. Default: the name of the queue, if the client has one. */
  readonly name?: string | undefined;
  /** How long there may be no progress, while there is work, before the check fails. */
  readonly stalledAfter: Duration;
}

/** Progress that your functions report. */
interface WorkOptions extends Common {
  readonly consumer?: undefined;
  readonly queue?: undefined;
  readonly noAck?: undefined;
  /** How much work waits or is under way: 0 is idle. */
  readonly pending: Pending;
  /** When work was last done or reported progress; a Date, or any number that changes with it. `undefined`: not yet. */
  readonly processed: Processed;
  /** Whether work is paused on purpose. */
  readonly paused?: Paused | undefined;
}

/** Values that a consumer reports by itself and that you may override. */
interface ConsumerCommon extends Common {
  /** Overrides the client's own report. */
  readonly pending?: Pending | undefined;
  readonly processed?: Processed | undefined;
  readonly paused?: Paused | undefined;
}

/** Progress of a worker of BullMQ. */
interface BullOptions extends ConsumerCommon {
  readonly consumer: BullWorker | (() => BullWorker | undefined | null);
  /** The queue it works on: it knows how much waits. */
  readonly queue: BullQueue;
  readonly noAck?: undefined;
}

/** Progress of a channel of RabbitMQ, or of pg-boss. */
interface NamedQueueOptions extends ConsumerCommon {
  readonly consumer: AmqpChannel | PgBossLike | (() => AmqpChannel | PgBossLike | undefined | null);
  /** The name of its queue. */
  readonly queue: string;
  /** Of a channel: whether its consumers have the option `noAck`, so that a delivery is the end of a message. */
  readonly noAck?: boolean | undefined;
}

type QueuelessConsumer = JetStreamConsumer | KafkaConsumer | PlatformaticStream;

/** Progress of a consumer that needs no name of a queue. */
interface StreamOptions extends ConsumerCommon {
  readonly consumer: QueuelessConsumer | (() => QueuelessConsumer | undefined | null);
  readonly queue?: undefined;
  readonly noAck?: undefined;
}

/** Options of `checks.progress`: two functions, or a consumer of a supported client. */
export type ProgressOptions = WorkOptions | BullOptions | NamedQueueOptions | StreamOptions;

type MakeConsumer = (settings: ConsumerSettings) => Consumer;

interface Row extends Kind<MakeConsumer> {
  /** The rule for `queue`, for a consumer that needs one. */
  readonly queue?: 'name' | 'bullmq';
  /** Whether it reports the work of all that share a queue, and not only of this instance. */
  readonly isShared?: true;
}

const rows: readonly Row[] = [
  { ...bullmqConsumer, queue: 'bullmq' },
  { ...amqpConsumer, queue: 'name' },
  { ...jetStream, isShared: true },
  kafkaConsumer,
  platformaticStream,
  { ...pgBossConsumer, queue: 'name' },
];

const consumers = new Family<object, MakeConsumer>('consumer', rows);

const known = ['name', 'consumer', 'queue', 'pending', 'processed', 'paused', 'stalledAfter', 'noAck'];

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
  requireKnownOptions(options, known, 'checks.progress');
  const { name, consumer, queue, pending, processed, paused, noAck } = options;
  require(name === undefined || text.accepts(name), 'name', name, text.expects);
  const stalledAfter = requireValue(options.stalledAfter, timeout, 'stalledAfter of checks.progress', fix);
  require(noAck === undefined || flag.accepts(noAck), 'noAck', noAck, flag.expects);
  for (const [option, given] of Object.entries({ pending, processed, paused })) {
    const isNeeded = consumer === undefined && option !== 'paused';
    const isFine = typeof given === 'function' || (given === undefined && !isNeeded);
    require(isFine, option, given, 'a function');
  }
  const row = rows.find((each) => recognise([each], consumer) !== undefined);
  if (consumer !== undefined) requireConsumer(options, row);
  const check = clientCheck(name === undefined ? 'progress' : `progress_${name}`, (life) =>
    progressMade({ name, consumer, queue, pending, processed, paused, stalledAfter, noAck, life }),
  );
  if (row?.isShared === true) return withScope(check, 'shared');
  return withScope(check, 'auto', { dependency: check, ask: whoseTrouble });
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (!isFine) throw optionInvalid(`Option ${option} of checks.progress`, given, expects, fix);
}

/** Rejects a value that is not a consumer, and a consumer that needs another option. */
function requireConsumer({ consumer, queue, pending }: ProgressOptions, row: Row | undefined): void {
  if (row === undefined && !isGetter(consumer)) {
    const supported = [...consumers.names, 'a function that returns one of them'];
    throw clientUnsupported('consumer of checks.progress', consumer, supported);
  }
  if (pending !== undefined) return;
  if (row?.queue === 'bullmq' && !isBullQueue(queue)) {
    const supported = ['bullmq Queue, because a Worker cannot count waiting jobs'];
    throw clientUnsupported('queue of checks.progress', queue, supported);
  }
  if (row?.queue === 'name' && !text.accepts(queue)) {
    const write = "Write checks.progress({ consumer: channel, queue: 'orders', stalledAfter: 60_000 }).";
    throw optionInvalid('Option queue of checks.progress', queue, 'the name of the queue', write);
  }
}

const unknowns: ReadonlySet<string> = /* @__PURE__ */ new Set<string>([
  messageIds.progressUnknown,
  messageIds.timedOut,
  messageIds.stillRunning,
]);

/** Stalled work is a fault of this instance; a broker that cannot be reached is a fault of all. */
async function whoseTrouble({ result }: OpinionContext): Promise<Opinion> {
  const isShared = result.messages.some(
    ({ id, fields }) => unknowns.has(id) || fields?.['connected'] === false,
  );
  return isShared
    ? { scope: 'shared', evidence: 'the source of the work cannot be reached' }
    : { scope: 'instance', evidence: 'this instance makes no progress' };
}

/** The validated options of `checks.progress`. */
interface ProgressSettings extends ConsumerSettings {
  readonly name: string | undefined;
  /** A consumer, or a function that returns the current one. */
  readonly consumer?: unknown;
  readonly pending?: (() => unknown) | undefined;
  readonly processed?: (() => unknown) | undefined;
  readonly paused?: (() => unknown) | undefined;
}

/** How long a lost lock of a job is reported. */
const lostFor = 60_000;

/** The code of `checks.progress`, loaded when the check is created. */
function progressMade(
  settings: ProgressSettings,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const timeline = new Timeline(settings.stalledAfter);
  const consumerNow = currentConsumer(settings);
  const look = looking(settings, consumerNow);
  return async (context) => {
    const name = settings.name ?? consumerNow.name();
    const of = name === undefined ? '' : ` of ${name}`;
    const on = name === undefined ? '' : ` on ${name}`;
    try {
      const seen = await look(context);
      const verdict = timeline.look(performance.now(), seen);
      if (seen.stopped !== undefined && !seen.paused) return [stopped(of, seen.stopped, seen.connected)];
      return [...judged(on, verdict, seen), ...lockLost(of, seen)];
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      return [
        new ErrorMessage(`Cannot determine the progress${of}: ${thrown.message}`, {
          id: messageIds.progressUnknown,
          hint: 'Until this is fixed, stalled work goes unnoticed.',
        }),
      ];
    }
  };
}

/** Asks the consumer, and the functions of the options, whose answers win. */
function looking(
  settings: ProgressSettings,
  consumerNow: CurrentConsumer,
): (starter: Starter) => Promise<Seen & Look> {
  const askConsumer = polling(
    'the consumer',
    (starter) => consumerNow.current()?.look(starter) ?? none,
    isSeen,
    'an object',
    (thrown) => faultOf(thrown).text,
  );
  const askPending = pollingOf('pending()', settings.pending, count, 'a number of at least 0');
  const askProcessed = pollingOf(
    'processed()',
    settings.processed,
    mark,
    'a valid Date, a number, undefined or null',
  );
  const askPaused = pollingOf('paused()', settings.paused, boolean, 'true or false');
  return async (starter) => {
    const seen = settings.consumer === undefined ? {} : await askConsumer(starter);
    const [pending, progress, paused] = await Promise.all([
      askPending?.(starter),
      askProcessed?.(starter),
      askPaused?.(starter),
    ]);
    return {
      ...seen,
      pending: pending ?? seen.pending ?? 0,
      mark: progress === undefined ? seen.mark : progress.mark,
      attempts: seen.attempts ?? 0,
      paused: paused ?? seen.paused ?? false,
    };
  };
}

const none: Seen = { stopped: 'there is currently none' };

/** The consumer there is now: functions give another one after each new connection. */
interface CurrentConsumer {
  current(): Consumer | undefined;
  name(): string | undefined;
}

function currentConsumer({ consumer, ...settings }: ProgressSettings): CurrentConsumer {
  let known: { readonly client: unknown; readonly adapted: Consumer | undefined } | undefined;
  const given = consumers.recognise(consumer);
  // It is listened to from now on, and not from the first heartbeat on.
  if (given !== undefined) known = { client: consumer, adapted: given(settings) };
  const current = () => {
    const client = given === undefined && isGetter(consumer) ? consumer() : consumer;
    if (known === undefined || known.client !== client) known = { client, adapted: adapt(client) };
    return known.adapted;
  };
  const adapt = (client: unknown) => {
    if (client === undefined || client === null) return undefined;
    const make = consumers.recognise(client);
    if (make === undefined) throw new Unknown('the consumer function did not return a supported consumer');
    return make({ ...settings, life: settings.life.next() });
  };
  return { current, name: () => known?.adapted?.name };
}

function pollingOf<T>(
  who: string,
  poll: (() => unknown) | undefined,
  read: (answer: unknown) => T | undefined,
  expects: string,
): ((starter: Starter) => Promise<T>) | undefined {
  return poll === undefined ? undefined : polling(who, () => poll(), read, expects);
}

const isSeen = (value: unknown): Seen | undefined =>
  typeof value === 'object' && value !== null ? value : undefined;

const boolean = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

function count(value: unknown): number | undefined {
  const found = typeof value === 'bigint' ? Number(value) : value;
  return typeof found === 'number' && found >= 0 ? found : undefined;
}

function mark(value: unknown): { readonly mark: number | string | undefined } | undefined {
  if (value === undefined || value === null) return { mark: undefined };
  const found = value instanceof Date ? value.getTime() : value;
  if (typeof found === 'bigint') return { mark: String(found) };
  return typeof found === 'number' && !Number.isNaN(found) ? { mark: found } : undefined;
}

function judged(on: string, verdict: Verdict, { note }: Seen): readonly CheckMessage[] {
  const { state, pending, attempts } = verdict;
  const waiting = `${pending} waiting or in progress`;
  const fields = { pending, silence_ms: Math.round(verdict.silence) };
  if (state === 'paused') {
    return [
      new Info(`Work${on} is paused: ${waiting}`, { id: messageIds.progressPaused, fields: { pending } }),
    ];
  }
  if (state === 'retrying') {
    const text = `No work${on} completed for ${span(verdict.silence)}: ${attempts} attempts failed and will be retried, ${waiting}`;
    const hint = 'The consumer is running but its jobs fail: look at their errors.';
    return [new Info(text, { id: messageIds.progressRetrying, hint, fields: { ...fields, attempts } })];
  }
  if (state !== 'stalled') return [];
  const why = note === undefined ? '' : `; ${note}`;
  return [
    new ErrorMessage(`No progress${on} for ${span(verdict.silence)}: ${waiting}${why}`, {
      id: messageIds.progressStalled,
      hint: 'There is work but nothing processes it: find out what the consumer is waiting for, or restart it.',
      fields,
    }),
  ];
}

const stopped = (of: string, why: string, connected: false | undefined) =>
  new ErrorMessage(`The consumer${of} is not taking work: ${why}`, {
    id: messageIds.consumerStopped,
    hint: 'Start it again, or restart the application.',
    ...(connected === false && { fields: { connected } }),
  });

function lockLost(of: string, { lostFor: ago }: Seen): readonly CheckMessage[] {
  if (ago === undefined || ago > lostFor) return [];
  const text = `A job${of} was taken from this consumer ${span(ago)} ago and may run twice`;
  const hint = 'Its lock was not renewed in time: look for a blocked event loop, or give jobs more time.';
  return [new Info(text, { id: messageIds.lockLost, hint })];
}
