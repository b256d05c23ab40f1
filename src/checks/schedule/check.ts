import { type Check, type CheckContext, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import { type Duration, text, time, requireValue } from '../../core/options/rules.js';
import { optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions } from '../../core/options/read-options.js';
import { span } from '../../core/time.js';
import { named } from '../client.js';
import { polling, Unknown } from '../progress/polling.js';
import { Due, type Moment } from './due.js';

/** Options of `checks.schedule`. */
export interface ScheduleOptions {
  /** The name of the schedule in messages. */
  readonly name?: string | undefined;
  /** The time from one run to the next. */
  readonly every: Duration;
  /** How late a run may be. Default: a tenth of `every`, at least 1 s. */
  readonly grace?: Duration | undefined;
  /** When the last run was: a Date or milliseconds since 1970; undefined or null if there was none. */
  readonly lastRun: () => LastRun | PromiseLike<LastRun>;
}

type LastRun = Date | number | undefined | null;

// Months, in milliseconds.
const long = time(1, 1e12);

const late = time(0, 1e12);

const fix = 'Write checks.schedule({ every: 3_600_000, grace: 300_000, lastRun: () => lastRun }).';

/**
 * A check that something runs regularly: Error `health.E039` when a run is overdue. The first run is not due before
 * its time.
 *
 * @example health.check('cleanup', checks.schedule({ every: 3_600_000, grace: 300_000, lastRun: () => lastRun }));
 */
export function schedule(options: ScheduleOptions): Check {
  requireKnownOptions(options, ['name', 'every', 'grace', 'lastRun'], 'checks.schedule');
  const { name, lastRun } = options;
  require(name === undefined || text.accepts(name), 'name', name, text.expects);
  const every = requireValue(options.every, long, 'every of checks.schedule', fix);
  require(typeof lastRun === 'function', 'lastRun', lastRun, 'a function');
  const usual = Math.max(1000, Math.round(every / 10));
  const grace = requireValue(options.grace ?? usual, late, 'grace of checks.schedule', fix);
  const started = { steady: performance.now(), wall: Date.now() };
  const check = named(
    name === undefined ? 'schedule' : `schedule_${name}`,
    scheduleKept({ name, every, grace, lastRun, started }),
  );
  return withScope(check, 'instance');
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (!isFine) throw optionInvalid(`Option ${option} of checks.schedule`, given, expects, fix);
}

/** The validated options of `checks.schedule`. */
interface ScheduleSettings {
  readonly name: string | undefined;
  readonly every: number;
  readonly grace: number;
  readonly lastRun: () => unknown;
  /** When the check was made. */
  readonly started: Moment;
}

/** The code of `checks.schedule`, loaded when the check is created. */
function scheduleKept({
  name,
  every,
  grace,
  lastRun,
  started,
}: ScheduleSettings): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const due = new Due(every, started);
  const askLast = polling(
    'lastRun()',
    () => lastRun(),
    lastOf,
    'a valid Date, milliseconds since 1970, undefined or null',
  );
  const of = name === undefined ? '' : ` of ${name}`;
  return async (context) => {
    try {
      const { last } = await askLast(context);
      const late = due.look({ steady: performance.now(), wall: Date.now() }, last);
      if (late <= grace) return [];
      const since =
        last === undefined ? 'it has never run' : `the last run was ${span(Date.now() - last)} ago`;
      return [
        new ErrorMessage(`A run${of} is overdue by ${span(late)}: ${since}`, {
          id: messageIds.scheduleOverdue,
          hint: 'The scheduler is not running, or a run never ends.',
          fields: { late_ms: Math.round(late) },
        }),
      ];
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      return [
        new ErrorMessage(`Cannot determine the last run${of}: ${thrown.message}`, {
          id: messageIds.scheduleOverdue,
        }),
      ];
    }
  };
}

function lastOf(value: unknown): { readonly last: number | undefined } | undefined {
  if (value === undefined || value === null) return { last: undefined };
  const time = value instanceof Date ? value.getTime() : value;
  return typeof time === 'number' && Number.isFinite(time) ? { last: time } : undefined;
}
