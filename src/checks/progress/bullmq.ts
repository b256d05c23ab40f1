import { call, isObject, numberOf, property } from '../client.js';
import type { Starter } from '../flight.js';
import { listen, monitorErrors } from '../listening.js';
import { pingRedisOf } from '../brokers/bullmq.js';
import { type Consumer, type ConsumerSettings, Tally } from './consumer.js';
import type { BullWorker } from './client-shapes.js';

/** Of jobs that wait. */
const states = ['waiting', 'prioritized', 'paused'];

/** A BullMQ worker reports its jobs by events, its queue how many wait. */
export function bullmq(worker: BullWorker, { queue, life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  const ping = pingRedisOf(queue ?? worker, life);
  const running = new Set<unknown>();
  let lostAt: number | undefined;
  const lost = () => {
    lostAt = performance.now();
  };
  listen(life, worker, 'active', (job) => void running.add(property(job, 'id')));
  listen(life, worker, 'progress', tally.done);
  listen(life, worker, 'completed', (job) => {
    running.delete(property(job, 'id'));
    tally.done();
  });
  listen(life, worker, 'failed', (job) => {
    running.delete(property(job, 'id'));
    // The last attempt is the end of a job, as its success would be.
    if (comesAgain(job)) tally.failed();
    else tally.done();
  });
  listen(life, worker, 'lockRenewalFailed', lost);
  monitorErrors(life, worker, (error) => {
    const message = String(property(error, 'message'));
    if (!/^Missing lock for job|^could not renew lock/.test(message)) return;
    lost();
    running.delete(/for job ([^\s.]+)/.exec(message)?.[1]);
  });
  return {
    name: worker.name,
    async look(starter: Starter) {
      if (isObject(property(worker, 'closing'))) return { stopped: 'the application has closed it' };
      await ping(starter);
      const counts = await call(queue, 'getJobCounts', ...states, 'active');
      const waiting = states.map((name) => numberOf(counts, name) ?? 0);
      const active = numberOf(counts, 'active') ?? Infinity;
      const paused = worker.isPaused() || (await call(queue, 'isPaused')) === true;
      return {
        ...tally.seen,
        paused,
        pending: waiting.reduce((sum, each) => sum + each, underWay(worker, running, active)),
        note: worker.isRunning() ? undefined : 'the worker is not running',
        lostFor: lostAt === undefined ? undefined : performance.now() - lostAt,
      };
    },
  };
}

/**
 * The worker knows best. It has no event for the end of a job that was delayed, limited, or waits for its children: a version that
 * does not count has at most as many as the queue.
 */
function underWay(worker: BullWorker, running: ReadonlySet<unknown>, active: number): number {
  const counted = call(property(worker, 'lockManager'), 'getActiveJobCount');
  return typeof counted === 'number' ? counted : Math.min(running.size, active);
}

function comesAgain(job: unknown): boolean {
  // An UnrecoverableError ends a job before its last attempt.
  if (numberOf(job, 'finishedOn') !== undefined) return false;
  const made = numberOf(job, 'attemptsMade') ?? 0;
  return made < (numberOf(property(job, 'opts'), 'attempts') ?? 1);
}
