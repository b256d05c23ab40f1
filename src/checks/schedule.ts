import { type Check, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { Error as ErrorMessage } from '../core/heartbeat/messages.js';
import { type Duration, text, time, requireValue } from '../core/options/rules.js';
import { optionInvalid } from '../core/options/errors.js';
import { requireKnownOptions } from '../core/options/read-options.js';
import { span } from '../core/time.js';
import { named } from './client.js';
import { polling, Unknown } from './progress/polling.js';

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
  const due = new Due(every, { steady: performance.now(), wall: Date.now() });
  const expected = 'a valid Date, milliseconds since 1970, undefined or null';
  const askLast = polling('lastRun()', () => lastRun(), lastOf, expected);
  const of = name === undefined ? '' : ` of ${name}`;
  const check = named<Check>(name === undefined ? 'schedule' : `schedule_${name}`, async (context) => {
    try {
      const { last } = await askLast(context);
      const lateness = due.look({ steady: performance.now(), wall: Date.now() }, last);
      if (lateness <= grace) return [];
      const since =
        last === undefined ? 'it has never run' : `the last run was ${span(Date.now() - last)} ago`;
      return [
        new ErrorMessage(`A run${of} is overdue by ${span(lateness)}: ${since}`, {
          id: messageIds.scheduleOverdue,
          hint: 'The scheduler is not running, or a run never ends.',
          fields: { late_ms: Math.round(lateness) },
        }),
      ];
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      const text = `Cannot determine the last run${of}: ${thrown.message}`;
      return [new ErrorMessage(text, { id: messageIds.scheduleOverdue })];
    }
  });
  return withScope(check, 'instance');
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (!isFine) throw optionInvalid(`Option ${option} of checks.schedule`, given, expects, fix);
}

function lastOf(value: unknown): { readonly last: number | undefined } | undefined {
  if (value === undefined || value === null) return { last: undefined };
  const time = value instanceof Date ? value.getTime() : value;
  return typeof time === 'number' && Number.isFinite(time) ? { last: time } : undefined;
}

/** Two clocks: `steady` is monotonic, `wall` is milliseconds since 1970. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** A difference between the two clocks that is not drift: the wall clock was set. */
const jump = 1000;

/**
 * Decides when a run is overdue. The wall clock is read only once for each run, for how long ago it was; from there
 * on the steady clock counts, so that a clock that is set makes no run late.
 */
export class Due {
  readonly #every: number;
  #anchor: number;
  #last: number | undefined;
  readonly #started: Moment;
  #looked: Moment | undefined;

  constructor(every: number, started: Moment) {
    this.#every = every;
    this.#anchor = started.steady;
    this.#started = started;
  }

  /** Milliseconds by which a run is late; 0 and below if none is. `last` is when the last run was, in milliseconds since 1970. */
  look(now: Moment, last: number | undefined): number {
    const before = this.#looked;
    this.#looked = now;
    const isNew = last !== this.#last || before === undefined;
    if (isNew && last !== undefined)
      this.#anchor = now.steady - ageOf(now, last, before ?? this.#started, before !== undefined);
    this.#last = last;
    return now.steady - this.#anchor - this.#every;
  }
}

/** How long ago a run was: since the last look, or now if the clock says otherwise. Before the first look it may be any time. */
function ageOf(now: Moment, last: number, before: Moment, isBounded: boolean): number {
  const age = now.wall - last;
  if (isBounded) return age >= 0 && age <= now.steady - before.steady ? age : 0;
  // The clock may have been set since the start, as it is soon after a boot: the run was before that or after.
  const unset = before.wall + (now.steady - before.steady) - last;
  const ages = (jumped(before, now) ? [age, unset] : [age]).filter((each) => each >= 0);
  return ages.length === 0 ? 0 : Math.min(...ages);
}

const jumped = (before: Moment, now: Moment) =>
  Math.abs(now.wall - before.wall - (now.steady - before.steady)) > jump;
