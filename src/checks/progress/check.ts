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
import { isGetter, property } from '../client.js';
import type { Starter } from '../flight.js';
import { clientCheck, follow, type Life } from '../listening.js';
import { clientUnsupported, Family, type Kind, recognise } from '../recognise.js';
import { polling, Unknown } from './polling.js';
import { Timeline, type Verdict } from './timeline.js';

type Answer<T> = T | PromiseLike<T>;

type OrGetter<T> = T | (() => T | undefined | null);

interface Common {
  /** The name of the work in messages. Default: the name of the queue, if the client has one. */
  readonly name?: string | undefined;
  /** How long there may be no progress, while there is work, before the check fails. */
  readonly stalledAfter: Duration;
}

/** Progress that your functions report. */
interface WorkOptions extends Common {
  readonly consumer?: undefined;
  /** How much work waits or is under way: 0 is idle. */
  readonly pending: () => Answer<number | bigint>;
  /** When work was last done or reported progress; a Date, or any number that changes with it. `undefined`: not yet. */
  readonly processed: () => Answer<Date | number | bigint | undefined | null>;
  /** Whether work is paused on purpose. */
  readonly paused?: (() => Answer<boolean>) | undefined;
}

/** Progress of a worker of BullMQ. */
interface BullOptions extends Common {
  readonly consumer: OrGetter<BullWorker>;
  /** The queue it works on: it knows how much waits. */
  readonly queue: BullQueue;
}

/** Progress of a channel of RabbitMQ, or of pg-boss. */
interface NamedQueueOptions extends Common {
  readonly consumer: OrGetter<AmqpChannel | PgBossLike>;
  /** The name of its queue. */
  readonly queue: string;
  /** Of a channel: whether its consumers have the option `noAck`, so that a delivery is the end of a message. */
  readonly noAck?: boolean | undefined;
}

/** Progress of a consumer that needs no name of a queue. */
interface StreamOptions extends Common {
  readonly consumer: OrGetter<JetStreamConsumer | KafkaConsumer | PlatformaticStream>;
}

/** Options of `checks.progress`: two functions, or a consumer of a supported client. */
export type ProgressOptions = WorkOptions | BullOptions | NamedQueueOptions | StreamOptions;

/** The options before they are validated. */
interface Given {
  readonly name?: unknown;
  readonly consumer?: unknown;
  readonly queue?: unknown;
  readonly noAck?: unknown;
  readonly pending?: unknown;
  readonly processed?: unknown;
  readonly paused?: unknown;
}

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
  requireKnownOptions(options, consumer === undefined ? ofFunctions : ofConsumer, 'checks.progress');
  const { name } = options;
  require(name === undefined || text.accepts(name), 'name', name, text.expects);
  const stalledAfter = requireValue(options.stalledAfter, timeout, 'stalledAfter of checks.progress', fix);
  const makeSource = consumer === undefined ? functionsOf(options) : consumerOf(options, stalledAfter);
  const check = clientCheck(name === undefined ? 'progress' : `progress_${name}`, (life) =>
    progressMade(makeSource(life), name, stalledAfter),
  );
  if (rowOf(consumer)?.isShared === true) return withScope(check, 'shared');
  return withScope(check, 'auto', { dependency: check, ask: whoseTrouble });
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (!isFine) throw optionInvalid(`Option ${option} of checks.progress`, given, expects, fix);
}

const rowOf = (consumer: unknown) => rows.find((each) => recognise([each], consumer) !== undefined);

function requireBullQueue(queue: unknown): void {
  if (isBullQueue(queue)) return;
  const supported = ['bullmq Queue, because a Worker cannot count waiting jobs'];
  throw clientUnsupported('queue of checks.progress', queue, supported);
}

function requireQueueName(queue: unknown): void {
  if (text.accepts(queue)) return;
  const write = "Write checks.progress({ consumer: channel, queue: 'orders', stalledAfter: 60_000 }).";
  throw optionInvalid('Option queue of checks.progress', queue, 'the name of the queue', write);
}

/** Reports the state of the work. */
interface Source {
  readonly ask: (starter: Starter) => Promise<Seen>;
  /** The name of the work, if it is known. */
  readonly name?: () => string | undefined;
}

function pollFunction<T>(
  option: string,
  given: unknown,
  read: (answer: unknown) => T | undefined,
  expects: string,
): (starter: Starter) => Promise<T> {
  require(typeof given === 'function', option, given, 'a function');
  return polling(`${option}()`, () => Reflect.apply(Object(given), undefined, []), read, expects);
}

/** Progress as the functions of the options report it. */
function functionsOf({ pending, processed, paused }: Given): () => Source {
  const askPending = pollFunction('pending', pending, count, 'a number of at least 0');
  const askMark = pollFunction('processed', processed, mark, 'a valid Date, a number, undefined or null');
  const askPaused = pollFunction('paused', paused ?? (() => false), boolean, 'true or false');
  const ask = async (starter: Starter) => {
    const answers = [askPending(starter), askMark(starter), askPaused(starter)] as const;
    const [pending, mark, paused] = await Promise.all(answers);
    return { pending, mark, paused };
  };
  return () => ({ ask });
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

/** Progress as a consumer reports it, or the one that a function returns now. */
function consumerOf({ consumer, queue, noAck = false }: Given, stalledAfter: number): (life: Life) => Source {
  const row = rowOf(consumer);
  if (row === undefined && !isGetter(consumer)) {
    const supported = [...consumers.names, 'a function that returns one of them'];
    throw clientUnsupported('consumer of checks.progress', consumer, supported);
  }
  row?.requireQueue?.(queue);
  require(flag.accepts(noAck), 'noAck', noAck, flag.expects);
  const adapt = (client: unknown, life: Life) => {
    const make = consumers.recognise(client);
    if (make === undefined) throw new Unknown('the consumer function did not return a supported consumer');
    return make({ queue, noAck: noAck === true, stalledAfter, life });
  };
  return (life) => {
    const current = follow(consumer, adapt, life);
    let name: string | undefined;
    const look = (starter: Starter) => {
      const now = current();
      name = now?.name ?? name;
      return now?.look(starter) ?? { stopped: 'there is currently none' };
    };
    const ask = polling('the consumer', look, same, 'an object', (thrown) => faultOf(thrown).text);
    return { ask, name: () => name };
  };
}

const same = (seen: Seen) => seen;

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

/** How long a lost lock of a job is reported. */
const lostFor = 60_000;

function progressMade(
  source: Source,
  given: string | undefined,
  stalledAfter: number,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const timeline = new Timeline(stalledAfter);
  const named = (word: string) => {
    const name = given ?? source.name?.();
    return name === undefined ? '' : ` ${word} ${name}`;
  };
  return async (context) => {
    try {
      const seen = await source.ask(context);
      const { pending = 0, mark, attempts = 0, paused = false } = seen;
      const verdict = timeline.look(performance.now(), { pending, mark, attempts, paused });
      if (seen.stopped !== undefined && !paused) return [stopped(named('of'), seen.stopped, seen.connected)];
      return [...judged(named('on'), verdict, seen), ...lockLost(named('of'), seen)];
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      const hint = 'Until this is fixed, stalled work goes unnoticed.';
      const text = `Cannot determine the progress${named('of')}: ${thrown.message}`;
      return [new ErrorMessage(text, { id: messageIds.progressUnknown, hint })];
    }
  };
}

function judged(on: string, verdict: Verdict, { note }: Seen): readonly CheckMessage[] {
  const { state, pending, attempts } = verdict;
  const waiting = `${pending} waiting or in progress`;
  const silence = span(verdict.silence);
  const fields = { pending, silence_ms: Math.round(verdict.silence) };
  if (state === 'paused')
    return [
      new Info(`Work${on} is paused: ${waiting}`, { id: messageIds.progressPaused, fields: { pending } }),
    ];
  if (state === 'retrying') {
    const text = `No work${on} completed for ${silence}: ${attempts} attempts failed and will be retried, ${waiting}`;
    const hint = 'The consumer is running but its jobs fail: look at their errors.';
    return [new Info(text, { id: messageIds.progressRetrying, hint, fields: { ...fields, attempts } })];
  }
  if (state !== 'stalled') return [];
  const text = `No progress${on} for ${silence}: ${waiting}${note === undefined ? '' : `; ${note}`}`;
  const hint =
    'There is work but nothing processes it: find out what the consumer is waiting for, or restart it.';
  return [new ErrorMessage(text, { id: messageIds.progressStalled, hint, fields })];
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
