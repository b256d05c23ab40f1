import type { Check } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { Error as ErrorMessage } from '../core/heartbeat/messages.js';
import { anyFunction, type Duration, optional, text, time } from '../core/options/rules.js';
import { optionReader } from '../core/options/read-options.js';
import { span } from '../core/time.js';
import { polling } from './progress/polling.js';
import { reporting } from './reasons.js';

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
const longest = 1e12;

const fix = 'Write checks.schedule({ every: 3_600_000, grace: 300_000, lastRun: () => lastRun }).';

/**
 * A check that something runs regularly: Error `health.E039` when a run is overdue. The first run is not due before
 * its time.
 *
 * @example health.check('cleanup', checks.schedule({ every: 3_600_000, grace: 300_000, lastRun: () => lastRun }));
 */
export function schedule(options: ScheduleOptions): Check {
  const option = optionReader('checks.schedule', options, ['name', 'every', 'grace', 'lastRun'], fix);
  const name = option('name', optional(text));
  const every = option('every', time(1, longest));
  const grace = option('grace', optional(time(0, longest))) ?? Math.max(1000, Math.round(every / 10));
  option('lastRun', anyFunction);
  const due = new Due(every, performance.now());
  const expected = 'a valid Date, milliseconds since 1970, undefined or null';
  const askLast = polling('lastRun()', () => options.lastRun(), lastOf, expected);
  const of = name === undefined ? '' : ` of ${name}`;
  const id = messageIds.scheduleOverdue;
  const unknown = [id, `Cannot determine the last run${of}`] as const;
  const checkName = name === undefined ? 'schedule' : `schedule_${name}`;
  return reporting(checkName, 'instance', unknown, async (signal) => {
    const { last } = await askLast(signal);
    const now = Date.now();
    const lateness = due.at(performance.now(), now, last);
    if (lateness <= grace) return [];
    const since = last === undefined ? 'it has never run' : `the last run was ${span(now - last)} ago`;
    const text = `A run${of} is overdue by ${span(lateness)}: ${since}`;
    const hint = 'The scheduler is not running, or a run never ends.';
    return [new ErrorMessage(text, { id, hint, fields: { late_ms: Math.round(lateness) } })];
  });
}

function lastOf(value: unknown): { readonly last: number | undefined } | undefined {
  if (value === undefined || value === null) return { last: undefined };
  const time = value instanceof Date ? value.getTime() : value;
  return typeof time === 'number' && Number.isFinite(time) ? { last: time } : undefined;
}

/**
 * Decides when a run is overdue. The wall clock is read only once for each run, for how long ago it was; from there
 * on the steady clock counts, so that a clock that is set makes no run late.
 */
export class Due {
  readonly #every: number;
  /** When the last run was, on the steady clock. */
  #ranAt: number;
  #last: number | undefined;
  #readAt: number | undefined;

  constructor(every: number, started: number) {
    this.#every = every;
    this.#ranAt = started;
  }

  /** Milliseconds by which a run is late; 0 and below if none is. `steady` is now on a monotonic clock, `wall` and `last` are milliseconds since 1970. */
  at(steady: number, wall: number, last: number | undefined): number {
    if (last !== undefined && (last !== this.#last || this.#readAt === undefined)) {
      const age = wall - last;
      // A new run is younger than the last reading; the first run that is read may be older.
      const longest = this.#readAt === undefined ? Infinity : steady - this.#readAt;
      this.#ranAt = steady - (age >= 0 && age <= longest ? age : 0);
    }
    this.#readAt = steady;
    this.#last = last;
    return steady - this.#ranAt - this.#every;
  }
}
