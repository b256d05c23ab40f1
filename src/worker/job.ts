import { type HealthCore, isHealth } from '../core/health.js';
import { handlerThrew } from '../core/endpoints.js';
import { levels, type Scalar } from '../core/heartbeat/messages.js';
import type { LogRecord } from '../core/log.js';
import { appInvalid } from '../core/options/errors.js';
import { RequestContext, runInRequest } from '../core/request/request.js';
import { errorMessage } from '../core/request/summary.js';
import { shared } from '../core/runtime.js';
import { jobInvalid } from './errors.js';

/** The argument of a job's handler. */
export interface Job {
  readonly name: string;
  /** The id as a string; empty without one. */
  readonly id: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborted when the process ends before the job: return the job to its queue. */
  readonly signal: AbortSignal;
}

/** Optional facts about a job, besides its name and id. */
export interface JobOptions {
  /** Which attempt this is, 1 for the first. Default 1. */
  readonly attempt?: number | undefined;
  /** The id of the request that caused the job: `requestId()` returns it inside the job, so you can find the lines of both. Default: the id of the job. */
  readonly requestId?: string | undefined;
}

/** The id of a job as queues have it. */
export type JobId = string | number | bigint | null | undefined;

/** Longer than any id or name of a job; a payload that was taken for one must not flood the log. */
const maxLength = 200;

/** Options from a queue: an invalid one must not fail the job. */
type Unchecked = { readonly [Name in keyof JobOptions]: unknown };

/** A job under way, and its `job.summary` when it ends. */
export class RunningJob implements Job {
  readonly name: string;
  readonly id: string;
  readonly attempt: number;
  readonly context: RequestContext;
  /** A job has one summary, even if it ends after a drain cut it off. */
  #logged = false;
  #failed = false;
  #abort: AbortController | undefined;

  constructor(name: string, id: unknown, options: Unchecked, propagated: boolean) {
    const { attempt, requestId } = options;
    this.name = name.slice(0, maxLength);
    const isId = typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint';
    this.id = isId ? String(id).slice(0, maxLength) : '';
    this.attempt = isAttempt(attempt) ? attempt : 1;
    const givenId = typeof requestId === 'string' ? requestId : this.id;
    this.context = new RequestContext({ givenId }, propagated);
    this.context.noteTrace();
  }

  // Created when it is first read.
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  fail(thrown: unknown): void {
    this.#failed = true;
    this.context.error = thrown;
  }

  /** Aborts its signal; returns whether it listens. */
  abort(reason: Error): boolean {
    this.#abort?.abort(reason);
    return this.#abort !== undefined;
  }

  /** Writes its summary, once. `cut`: the process ends before it does. */
  logSummary(health: HealthCore<never>, cut = false): void {
    if (this.#logged) return;
    this.#logged = true;
    this.context.end();
    if (health.options.summary) health.log(this.#record(cut));
  }

  #record(cut: boolean): LogRecord {
    const { id: rid, started, ended, endedAt: time, error, trace } = this.context;
    const failed = this.#failed || cut;
    const fields: Record<string, Scalar> = {
      errno: failed ? handlerThrew : 0,
      name: this.name,
      id: this.id,
      attempt: this.attempt,
      rid,
      t: Math.round(ended - started),
      ...(cut && { cut }),
      ...trace,
    };
    const record = { logger: 'job.summary', time, fields };
    if (!failed) return { ...record, level: levels.info };
    const msg = this.#failed ? errorMessage(error) : 'The process ended before the job finished';
    return { ...record, level: levels.error, msg };
  }
}

/** The jobs of one Health that are under way. */
export class Jobs {
  readonly #underWay = new Set<RunningJob>();
  /** Called at the end of each job. */
  readonly #waiting = new Set<() => void>();

  begin(job: RunningJob): void {
    this.#underWay.add(job);
  }

  end(job: RunningJob): void {
    this.#underWay.delete(job);
    for (const check of this.#waiting) check();
  }

  /** The given jobs, or all, that are under way. */
  left(these?: ReadonlySet<RunningJob>): readonly RunningJob[] {
    return [...this.#underWay].filter((job) => these?.has(job) ?? true);
  }

  /** Resolves once none of these jobs, or none at all, is under way. */
  ended(these?: ReadonlySet<RunningJob>): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.left(these).length > 0) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}

const jobsOfHealths = /* @__PURE__ */ shared('jobs', () => new WeakMap<object, Jobs>());

/** The running jobs of a Health, whichever copy of the package started them. */
export function runningJobs(health: object): Jobs {
  const jobs = jobsOfHealths.get(health) ?? new Jobs();
  jobsOfHealths.set(health, jobs);
  return jobs;
}

/**
 * Runs a job: one `job.summary` line when it ends, `requestId()` and bound loggers inside it, and `drainOnSignals` waits for it.
 * Returns what the function returns; its errors pass through unchanged. For a Health of any framework.
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
  if (typeof name !== 'string') throw jobInvalid('name', name);
  if (typeof run !== 'function') throw jobInvalid('function', run);
  const running = new RunningJob(name, id, options ?? {}, health.options.requestContext);
  const jobs = runningJobs(health);
  jobs.begin(running);
  try {
    return await runInRequest(running.context, () => run(running));
  } catch (thrown) {
    running.fail(thrown);
    throw thrown;
  } finally {
    jobs.end(running);
    runInRequest(running.context, () => running.logSummary(health));
  }
}

const isAttempt = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Adds an error to the summary of a job, for handlers that catch their own errors, such as an AMQP handler that rejects the message itself.
 *
 * @example catch (error) { noteError(job, error); channel.nack(message); }
 */
export function noteError(running: Job, error: unknown): void {
  // By its shape: the other copy of the package may have started it.
  if ('fail' in running && typeof running.fail === 'function') running.fail(error);
}
