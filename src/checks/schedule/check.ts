import { optionInvalid } from '../../core/options/errors.js';
import { clientUnsupported } from '../errors.js';
import { requireKnownOptions, requireValue } from '../../core/options/read-option.js';
import { text, time } from '../../core/options/rules.js';
import type { Duration } from '../../core/options/duration.js';
import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';
import type { ScheduledJob } from './job-shapes.js';
import { jobNames, recogniseJob } from './shapes.js';

interface Common {
  /** The name of the schedule in messages. */
  readonly name?: string | undefined;
  /** How late a run may be. Default: a tenth of `every`, at least 1 s; 60 s without `every`. */
  readonly grace?: Duration | undefined;
}

/** Runs that your function reports. */
interface LastRunOptions extends Common {
  /** The time from one run to the next. */
  readonly every: Duration;
  /** When the last run was: a Date or milliseconds since 1970; undefined or null if there was none. */
  readonly lastRun: () => LastRun | PromiseLike<LastRun>;
  readonly job?: undefined;
}

type LastRun = Date | number | undefined | null;

/** Runs that a job of cron, node-cron or croner reports. */
interface JobOptions extends Common {
  readonly job: ScheduledJob;
  /** The time from one run to the next. Default: from the next run that the job announces. */
  readonly every?: Duration | undefined;
  readonly lastRun?: (() => LastRun | PromiseLike<LastRun>) | undefined;
}

/** Options of `checks.schedule`: a function that returns the last run, or a job of a supported scheduler. */
export type ScheduleOptions = LastRunOptions | JobOptions;

// Months, in milliseconds.
const long = time(1, 1e12);
const late = time(0, 1e12);
const fix = 'Write checks.schedule({ every: 3_600_000, grace: 300_000, lastRun: () => lastRun }).';

/**
 * A check that something runs regularly: Error `health.E039` when a run is overdue. The first run is not due before
 * its time. Pass a function that returns the last run, or a job of cron, node-cron or croner.
 *
 * @example health.check('cleanup', checks.schedule({ every: 3_600_000, grace: 300_000, lastRun: () => lastRun }));
 * @example health.check('cleanup', checks.schedule({ job, grace: 300_000 }));
 */
export function schedule(options: ScheduleOptions): Check {
  requireKnownOptions(options, ['name', 'every', 'grace', 'lastRun', 'job'], 'checks.schedule');
  const { name, job, lastRun } = options;
  const recognised = job === undefined ? undefined : recogniseJob(job);
  if (job !== undefined && recognised === undefined) {
    throw clientUnsupported('job of checks.schedule', job, jobNames);
  }
  require(name === undefined || text.accepts(name), 'name', name, text.expects);
  const needsEvery = recognised?.knowsNext !== true;
  const every =
    options.every === undefined && !needsEvery
      ? undefined
      : requireValue(options.every, long, 'every of checks.schedule', fix);
  require(typeof lastRun === 'function' ||
    (lastRun === undefined && recognised !== undefined), 'lastRun', lastRun, 'a function');
  const usual = every === undefined ? 60_000 : Math.max(1000, Math.round(every / 10));
  const grace = requireValue(options.grace ?? usual, late, 'grace of checks.schedule', fix);
  const started = { steady: performance.now(), wall: Date.now() };
  const check = loading(
    name === undefined ? 'schedule' : `schedule_${name}`,
    () => import('./index.js'),
    ({ scheduleKept }, life) => scheduleKept({ name, every, grace, job: recognised, lastRun, started }, life),
  );
  return withScope(check, 'instance');
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (!isFine) throw optionInvalid(`Option ${option} of checks.schedule`, given, expects, fix);
}
