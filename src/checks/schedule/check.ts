import { optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions, requireValue } from '../../core/options/read-option.js';
import { text, time } from '../../core/options/rules.js';
import type { Duration } from '../../core/options/duration.js';
import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';

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
  const check = loading(
    name === undefined ? 'schedule' : `schedule_${name}`,
    () => import('./index.js'),
    ({ scheduleKept }) => scheduleKept({ name, every, grace, lastRun, started }),
  );
  return withScope(check, 'instance');
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (!isFine) throw optionInvalid(`Option ${option} of checks.schedule`, given, expects, fix);
}
