import { closeOnThrow } from '../core/feature.js';
import { isPlain } from '../core/objects.js';
import { appInvalid, optionInvalid } from '../core/options/errors.js';
import type { NodeRequest } from '../http/node/exchange.js';
import { HealthCore } from '../core/health.js';
import { type HealthOptions as OptionsOf, fromWorkingDirectory, healthParts } from '../profiles/extension.js';
import { placeNames, type PlaceOptions, resolvePlaces } from './places.js';
import { job, type Job, type JobId, type JobOptions } from './job.js';
import { type Listening, openWorker } from './serving.js';

export * from '../profiles/entry.js';
export { requestId } from '../core/request/request.js';
export { drainOnSignals, type Stoppable, type WorkerDrainOptions } from './drain.js';
export { job, noteError } from './job.js';
export type { Drain } from '../http/drain/options.js';
export type { Job, JobId, JobOptions, Listening, PlaceOptions };

/** Options of a worker: the options of every Health, the clients of the built-in checks, and where it listens. */
export interface HealthOptions extends OptionsOf<NodeRequest>, PlaceOptions {}

/**
 * Health of a process that serves no HTTP: a consumer of a queue, a scheduler, a bot. It serves the three endpoints and everything else that is turned
 * on, on a port, or touches a file while the checks pass. It does not keep the process alive.
 *
 * @example const health = new Health({ port: 8000, redis });
 */
export class Health extends HealthCore<NodeRequest, NodeRequest> {
  readonly #listening: Promise<Listening>;

  constructor(options?: HealthOptions) {
    const { port, file, ...rest } = requireOptions(options);
    super(healthParts(rest, { ...fromWorkingDirectory(), also: placeNames }));
    this.#listening = closeOnThrow(this, () => openWorker(this, resolvePlaces({ port, file })));
    // Without a caller that waits, the error is in the log.
    this.#listening.catch(() => {});
  }

  /**
   * Where the worker listens, once it does. Rejects if the port is taken: await it to make the process end
   * then, as `server.listen()` would.
   *
   * @example const { port } = await health.listening();
   */
  listening(): Promise<Listening> {
    return this.#listening;
  }

  /**
   * Runs a job: one `job.summary` line when it ends, `requestId()` and bound loggers inside it, and `drainOnSignals` waits for it.
   * Returns what the function returns; its errors pass through unchanged.
   *
   * @example new Worker('mail', (job) => health.job(job.name, job.id, () => send(job.data), { attempt: job.attemptsMade + 1 }));
   */
  job<T>(
    name: string,
    id: JobId,
    run: (job: Job) => T | PromiseLike<T>,
    options: JobOptions = {},
  ): Promise<T> {
    return job(this, name, id, run, options);
  }
}

function requireOptions(options: HealthOptions | undefined): HealthOptions {
  if (options === undefined) return {};
  // A worker has no application: anything but a plain object was meant for another entry.
  if (!isPlain(options)) throw appInvalid('an options object', options, 'new Health({ port: 8000 })');
  if (options['healthPort'] !== undefined) {
    const fix = 'A worker has one port: write { port } instead.';
    throw optionInvalid('Option healthPort', options['healthPort'], 'omitted in a worker', fix);
  }
  return options;
}
