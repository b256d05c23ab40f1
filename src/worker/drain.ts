import { within } from '../core/time.js';
import { type HealthCore, isHealth } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import { appInvalid } from '../core/options/errors.js';
import { describe } from '../core/scrub/scrub.js';
import {
  type Draining,
  frameworkEnds,
  type Latch,
  openDrain,
  type SteppedDrain,
} from '../http/drain/ending.js';
import { type Drain, type EndingOptions, resolveEnding } from '../http/drain/options.js';
import { hasMethods } from '../checks/client.js';
import { isObject } from '../core/objects.js';
import { workerStop } from './errors.js';
import { type Jobs, runningJobs, type RunningJob } from './job.js';

/** Options of draining a worker. Those that are set here win over the Health's option `drain` and its variables. */
export interface WorkerDrainOptions extends EndingOptions {
  /** Stopped first, so that no more work is taken: functions, or objects with `stop`, `cancelAll` or `close`, such as a BullMQ worker. */
  readonly stop?: Stoppable | readonly Stoppable[] | undefined;
}

/** How long jobs may take to return their work once `signal` is aborted, in milliseconds. */
const handBackTimeout = 1000;

/**
 * On SIGTERM or SIGINT: stops taking work, lets running jobs finish within `timeout`, runs `onShutdown`, closes the Health and **ends the
 * process**. The endpoints answer until then, `/__lbheartbeat__` with 503. A second signal ends it at once.
 *
 * @example drainOnSignals(health, { stop: worker, onShutdown: [() => redis.quit()] });
 */
export function drainOnSignals(health: HealthCore<never>, options: WorkerDrainOptions = {}): Drain {
  return drainInSteps(health, options);
}

/** The same in steps, if the framework ends the process. @internal */
export function drainInSteps(health: HealthCore<never>, options: WorkerDrainOptions): SteppedDrain {
  if (!isHealth(health)) {
    throw appInvalid(
      'a Health',
      health,
      'drainOnSignals(health, { stop: worker }) with the Health from lifesign/worker',
    );
  }
  const settings = resolveEnding(health, options, ['stop']);
  const stops = (options.stop === undefined ? [] : [options.stop].flat()).map(toStop);
  const jobs = runningJobs(health);
  const open = (hurry: Latch): Draining => ({
    async leave(reason) {
      const { length } = jobs.left();
      health.say(levels.info, `Draining (${reason}): taking no more work, ${counted(length)} in progress`);
      health.leave(settings.failLbheartbeat);
    },
    async close(limit) {
      // Without anything to stop, jobs that begin from now on are not waited for.
      const these = stops.length === 0 ? new Set(jobs.left()) : undefined;
      const problems = await waitForJobs(stops, jobs, these, limit, hurry, health);
      // Jobs that begin later continue until the framework ends the process.
      const left = await handBack(jobs, settings.exit === frameworkEnds ? these : undefined);
      for (const job of left) job.logSummary(health, true);
      if (left.length === 0) return problems;
      const why = hurry.isSet ? 'the drain was cut short' : `longer than ${limit} ms`;
      return [...problems, `Cut off: ${counted(left.length)} still in progress (${why})`];
    },
    release() {},
  });
  return openDrain(health, 'worker', health, settings, open);
}

const counted = (count: number) => (count === 1 ? '1 job is' : `${count} jobs are`);

/** Calls every `stop`, and waits for them and for the jobs: for these, or for all. */
async function waitForJobs(
  stops: readonly Stop[],
  jobs: Jobs,
  these: ReadonlySet<RunningJob> | undefined,
  limit: number,
  hurry: Latch,
  health: HealthCore<never>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const waiting = new Set(stops);
  const stopped = stops.map(async (stop) => {
    try {
      await stop.call();
    } catch (thrown) {
      health.logError(`stop ${stop.name} threw ${describe(thrown)}`, thrown);
      problems.push(`${stop.name} may not have stopped`);
    }
    waiting.delete(stop);
  });
  const ended = Promise.all(stopped).then(() => jobs.ended(these));
  await within(Promise.race([ended, hurry.whenSet]), limit, undefined);
  const late = hurry.isSet ? 'before the drain was cut short' : `within ${limit} ms`;
  for (const { name } of waiting) problems.push(`${name} did not stop ${late}`);
  return problems;
}

/** Aborts the jobs that still run, of these or of all, and waits a moment for those that listen to it. Returns those that still run then. */
async function handBack(
  jobs: Jobs,
  these: ReadonlySet<RunningJob> | undefined,
): Promise<readonly RunningJob[]> {
  const reason = new Error('The process is ending');
  const listening = new Set(jobs.left(these).filter((job) => job.abort(reason)));
  await within(jobs.ended(listening), handBackTimeout, undefined);
  return jobs.left(these);
}

/**
 * A source of work, and how to stop it: a function, or an object with one of these methods. A BullMQ worker has `close`, which waits for its
 * jobs; pg-boss, a consumer of kafkajs and a schedule of node-cron have `stop`, a channel of amqp-connection-manager has `cancelAll`.
 */
export type Stoppable =
  | (() => unknown)
  | { stop(): unknown }
  | { cancelAll(): unknown }
  | { close(): unknown };

/** One way to stop, with its name in the log. */
interface Stop {
  readonly name: string;
  readonly call: () => unknown;
}

/** In this order: an object with `stop` may also have `close`, which does not wait for its jobs. */
const methods = ['stop', 'cancelAll', 'close'] as const;

function toStop(value: unknown): Stop {
  if (typeof value === 'function') {
    return { name: value.name || 'stop', call: () => Reflect.apply(value, undefined, []) };
  }
  // Acknowledgements need the amqplib channel: closing it redelivers every message in progress to another consumer.
  const isChannel = hasMethods(value, 'consume', 'cancel', 'ack') && !hasMethods(value, 'cancelAll');
  const method = isChannel ? undefined : methods.find((name) => hasMethods(value, name));
  if (method === undefined || !isObject(value)) {
    const write = isChannel
      ? 'Write stop: () => channel.cancel(consumerTag), and close the channel in onShutdown.'
      : `Pass a function, or an object with a method ${methods.join(' or ')}: stop: [worker, () => consumer.pause()].`;
    throw workerStop(value, write);
  }
  return {
    name: value.constructor?.name || method,
    call: () => Reflect.apply(Reflect.get(value, method), value, []),
  };
}
