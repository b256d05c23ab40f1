import type { Engine } from '../core/engine.js';
import { engineOf, type HealthCore, isHealth } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import { runInRequest } from '../core/request/request.js';
import { jobInvalid } from './errors.js';
import { RunningJob } from './job.js';
import { jobsOf } from './jobs.js';
import type { Job, JobId, JobOptions } from './types.js';

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
  return runJob(engineOf(health), name, id, run, options);
}

/** @internal */
export async function runJob<Request, FrameworkRequest, T>(
  engine: Engine<Request, FrameworkRequest>,
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
    runInRequest(running.context, () => running.logSummary(engine));
  }
}

/** It comes from a queue: a number that makes no sense must not fail the job. */
function isAttempt(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Adds an error to the summary of a job, for handlers that catch their own errors, such as an AMQP handler that rejects the message itself.
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
