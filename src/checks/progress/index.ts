import type { CheckContext } from '../../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import type { Starter } from '../flight.js';
import { faultOf } from '../brokers/fault.js';
import { span } from '../../core/span.js';
import { polling, Unknown } from './polling.js';
import type { Consumer, ConsumerSettings, Seen } from './consumer.js';
import { adapters } from './adapters.js';
import { type RecognisedConsumer, recogniseConsumer } from './shapes.js';
import { type Look, Timeline, type Verdict } from './timeline.js';

/** The validated options of `checks.progress`. */
export interface ProgressSettings extends ConsumerSettings {
  readonly name: string | undefined;
  /** A consumer, or a function that returns the current one. */
  readonly consumer?: RecognisedConsumer | (() => unknown) | undefined;
  readonly pending?: (() => unknown) | undefined;
  readonly processed?: (() => unknown) | undefined;
  readonly paused?: (() => unknown) | undefined;
}

/** How long a lost lock of a job is reported. */
const lostFor = 60_000;

/** The code of `checks.progress`, loaded when the check is created. */
export function progressMade(
  settings: ProgressSettings,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const timeline = new Timeline(settings.stalledAfter);
  const consumerNow = consumers(settings);
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
  const askPaused = pollingOf('paused()', settings.paused, flag, 'true or false');
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

function consumers({ consumer, ...settings }: ProgressSettings): CurrentConsumer {
  let known: { readonly client: unknown; readonly adapted: Consumer | undefined } | undefined;
  const current = () => {
    if (consumer === undefined) return undefined;
    if (typeof consumer !== 'function') {
      known ??= { client: consumer, adapted: consumer.adopt(adapters, settings) };
      return known.adapted;
    }
    const client = consumer();
    if (known === undefined || known.client !== client) {
      known = { client, adapted: adapt(client) };
    }
    return known.adapted;
  };
  const adapt = (client: unknown) => {
    if (client === undefined || client === null) return undefined;
    const recognised = recogniseConsumer(client);
    if (recognised === undefined)
      throw new Unknown('the consumer function did not return a supported consumer');
    return recognised.adopt(adapters, { ...settings, life: settings.life.next() });
  };
  // From now on it is listened to, and not from the first heartbeat on.
  if (typeof consumer !== 'function') current();
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
const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
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
