import type { CheckContext } from '../../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { call, property } from '../client.js';
import type { Life } from '../life.js';
import { listen } from '../listening.js';
import { polling, Unknown } from '../progress/polling.js';
import { span } from '../../core/span.js';
import { Due, type Moment } from './due.js';
import type { JobAdapters, RecognisedJob, JobState } from './shapes.js';

/** The validated options of `checks.schedule`. */
export interface ScheduleSettings {
  readonly name: string | undefined;
  readonly every: number | undefined;
  readonly grace: number;
  readonly job?: RecognisedJob | undefined;
  readonly lastRun?: (() => unknown) | undefined;
  /** When the check was made. */
  readonly started: Moment;
}

const adapters: JobAdapters = {
  cron: (job) => () => ({
    last: timeOf(job.lastDate()),
    next: timeOf(call(job.nextDate(), 'toJSDate') ?? job.nextDate()),
    stopped: (property(job, 'isActive') ?? property(job, 'running')) === false,
  }),
  croner: (job) => () => ({
    last: timeOf(job.previousRun()),
    next: timeOf(job.nextRun()),
    // A job that is paused has a next run, and does not wait for it.
    stopped: job.isStopped() || (job.nextRun() !== null && call(job, 'isRunning') === false),
  }),
  nodeCron(job, life) {
    let last: number | undefined;
    for (const event of ['execution:finished', 'execution:failed']) {
      listen(life, job, event, () => {
        last = Date.now();
      });
    }
    return () => ({
      last,
      next: timeOf(call(job, 'getNextRun')),
      stopped: /^(stopped|destroyed)$/.test(String(job.getStatus())),
    });
  },
};

/** The code of `checks.schedule`, loaded when the check is created. */
export function scheduleKept(
  settings: ScheduleSettings,
  life: Life,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const { name, every, grace, job, lastRun } = settings;
  const due = new Due(every, settings.started);
  const told = job?.adopt(adapters, life);
  const askLast =
    lastRun === undefined
      ? undefined
      : polling(
          'lastRun()',
          () => lastRun(),
          lastOf,
          'a valid Date, milliseconds since 1970, undefined or null',
        );
  const of = name === undefined ? '' : ` of ${name}`;
  return async (context) => {
    try {
      const shown: JobState = told?.() ?? { last: undefined, stopped: false };
      const last = askLast === undefined ? shown.last : (await askLast(context)).last;
      const now = { steady: performance.now(), wall: Date.now() };
      const late = due.look(now, { last, next: shown.next });
      if (shown.stopped) {
        due.rest(now);
        return [new Info(`The schedule${of} is stopped`, { id: messageIds.scheduleStopped })];
      }
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
          id: messageIds.scheduleUnknown,
        }),
      ];
    }
  };
}

/** Milliseconds since 1970; undefined if there is none. */
function timeOf(value: unknown): number | undefined {
  const time = value instanceof Date ? value.getTime() : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}

function lastOf(value: unknown): { readonly last: number | undefined } | undefined {
  if (value === undefined || value === null) return { last: undefined };
  const last = timeOf(value);
  return last === undefined ? undefined : { last };
}
