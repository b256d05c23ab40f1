import type { Engine } from '../core/engine.js';
import { engineOf, type HealthCore, isHealth } from '../core/health.js';
import { appInvalid, jobInvalid } from '../core/options/errors.js';
import { runInRequest } from '../core/request/request.js';
import { shared } from '../core/shared.js';
import { type Job, RunningJob } from './job.js';

/** What is known of a job beside its name and its id. */
export interface JobOptions {
  /** Which attempt this is, 1 for the first. Default 1. */
  readonly attempt?: number | undefined;
  /** The id of the request that caused the job: `requestId()` gives it inside, and lines of both can be found by it. Default: the id of the job. */
  readonly requestId?: string | undefined;
}

/** The id of a job as queues have it. */
export type JobId = string | number | bigint | null | undefined;

/** How often it is looked whether the last job has ended, in milliseconds: only while a process ends. */
const period = 20;

/** The jobs of one Health that are under way. */
export class Jobs {
  readonly underWay = new Set<RunningJob>();

  /** Fulfilled when none of these jobs is under way any more, or none at all. */
  ended(these: ReadonlySet<RunningJob> | undefined, isOver: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        const left =
          these === undefined ? this.underWay.size > 0 : [...these].some((job) => this.underWay.has(job));
        if (left && !isOver()) return;
        clearInterval(looking);
        resolve(!left);
      };
      const looking = setInterval(look, period);
      look();
    });
  }
}

const jobsOfEngines = /* @__PURE__ */ shared('jobs', () => new WeakMap<object, Jobs>());

/** The jobs of a Health, whichever copy of the package started them. */
export function jobsOf(engine: object): Jobs {
  const known = jobsOfEngines.get(engine);
  if (known !== undefined) return known;
  const made = new Jobs();
  jobsOfEngines.set(engine, made);
  return made;
}

/**
 * Runs a job: one `job.summary` line when it is over, `requestId()` and bound loggers inside of it, and `drainOnSignals` waits for it.
 * Gives what the function gives; what it throws is thrown on as it is. For a Health of any framework.
 *
 * @example await job(health, 'send-mail', message.id, () => send(message), { attempt: message.attempt });
 */
export async function job<T>(
  health: HealthCore<never>,
  name: string,
  id: JobId,
  run: (job: Job) => T | PromiseLike<T>,
  options: JobOptions = {},
): Promise<T> {
  if (!isHealth(health)) throw appInvalid('a Health', health, "job(health, 'send-mail', id, () => send())");
  return runJob(engineOf(health), name, id, run, options);
}

export async function runJob<Request, Own, T>(
  engine: Engine<Request, Own>,
  name: unknown,
  id: unknown,
  run: (job: Job) => T | PromiseLike<T>,
  options: JobOptions,
): Promise<T> {
  if (typeof name !== 'string') throw jobInvalid('name', name);
  if (typeof run !== 'function') throw jobInvalid('function', run);
  const { attempt, requestId }: { attempt?: unknown; requestId?: unknown } = options ?? {};
  const running = new RunningJob(
    name,
    id,
    isAttempt(attempt) ? attempt : 1,
    typeof requestId === 'string' ? requestId : undefined,
    engine.options.requestContext,
  );
  const { underWay } = jobsOf(engine);
  underWay.add(running);
  try {
    return await runInRequest(running.context, () => run(running));
  } catch (thrown) {
    running.fail(thrown);
    throw thrown;
  } finally {
    underWay.delete(running);
    runInRequest(running.context, () => running.tell(engine));
  }
}

/** It comes from a queue: a number that makes no sense must not fail the job. */
function isAttempt(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Tells the summary of a job what went wrong, for handlers that catch their own errors: that of AMQP, which rejects the message itself.
 *
 * @example catch (error) { noteError(job, error); channel.nack(message); }
 */
export function noteError(running: Job, error: unknown): void {
  // By its shape: the other copy of the package may have started it.
  if (hasFail(running)) running.fail(error);
}

function hasFail(value: object): value is Pick<RunningJob, 'fail'> {
  return 'fail' in value && typeof value.fail === 'function';
}
