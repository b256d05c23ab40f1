import { clientUnsupported, optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import { integer, text } from '../../core/options/rules.js';
import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';
import type { ScheduledJob } from './job-shapes.js';
import { jobNames, recogniseJob } from './shapes.js';

interface Common {
  /** What the schedule is called, in the texts. */
  readonly name?: string | undefined;
  /** Milliseconds by which a run may be late. Default: a tenth of `every`, at least 1000; 60000 without `every`. */
  readonly grace?: number | undefined;
}

/** Runs that are told by a function of yours. */
interface LastRunOptions extends Common {
  /** Milliseconds from one run to the next. */
  readonly every: number;
  /** When the last run was: a Date or milliseconds since 1970; undefined or null where there was none. */
  readonly lastRun: () => LastRun | PromiseLike<LastRun>;
  readonly job?: undefined;
}

type LastRun = Date | number | undefined | null;

/** Runs that a job of cron, node-cron or croner tells. */
interface JobOptions extends Common {
  readonly job: ScheduledJob;
  /** Milliseconds from one run to the next. Default: what the job tells of its next run. */
  readonly every?: number | undefined;
  readonly lastRun?: (() => LastRun | PromiseLike<LastRun>) | undefined;
}

/** Options of `checks.schedule`: a function that returns the last run, or a job of a supported scheduler. */
export type ScheduleOptions = LastRunOptions | JobOptions;

// Months, in milliseconds.
const long = integer(1, 1e12, ' (milliseconds)');
const late = integer(0, 1e12, ' (milliseconds)');
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
  const { name, every, job, lastRun } = options;
  const recognised = job === undefined ? undefined : recogniseJob(job);
  if (job !== undefined && recognised === undefined) {
    throw clientUnsupported('job of checks.schedule', job, jobNames);
  }
  require(name === undefined || text.accepts(name), 'name', name, text.expects);
  const needsEvery = recognised?.tellsNext !== true;
  require(every === undefined ? !needsEvery : long.accepts(every), 'every', every, long.expects);
  require(typeof lastRun === 'function' ||
    (lastRun === undefined && recognised !== undefined), 'lastRun', lastRun, 'a function');
  const grace = options.grace ?? (every === undefined ? 60_000 : Math.max(1000, Math.round(every / 10)));
  require(late.accepts(grace), 'grace', grace, late.expects);
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
