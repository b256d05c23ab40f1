import { property } from '../client.js';
import { Unconnected } from '../brokers/broker.js';
import { listen } from '../listening.js';
import { span } from '../../core/span.js';
import { type Consumer, type ConsumerSettings, type Seen, Tally } from './consumer.js';
import type { GraphileRunner } from './worker-shapes.js';

const workerOf = (payload: unknown) => property(payload, 'worker');
const jobOf = (payload: unknown) => property(property(payload, 'job'), 'id');

/** A runner of graphile-worker reports its jobs by events. Free workers poll, so jobs wait only while every worker is busy. */
export function graphileWorker(
  { events }: GraphileRunner,
  { life, stalledAfter }: ConsumerSettings,
): Consumer {
  const tally = new Tally();
  const running = new Set<unknown>();
  /** When each worker asked PostgreSQL for a job, and has no answer yet. */
  const asking = new Map<unknown, number>();
  let failure: { readonly error: unknown } | undefined;
  let hasLocalQueue = false;
  let stopped = false;
  const on = (event: string, heard: (payload: unknown) => void) => listen(life, events, event, heard);
  const answered = (payload: unknown) => {
    asking.delete(workerOf(payload));
    failure = undefined;
  };
  on('worker:getJob:start', (payload) => asking.set(workerOf(payload), performance.now()));
  on('worker:getJob:empty', answered);
  on('worker:getJob:error', (payload) => {
    asking.delete(workerOf(payload));
    failure = { error: property(payload, 'error') };
  });
  on('worker:stop', (payload) => void asking.delete(workerOf(payload)));
  // Then a worker waits for the local queue and not for PostgreSQL, for as long as there is no job.
  for (const event of ['localQueue:init', 'localQueue:setMode', 'localQueue:getJobs:complete']) {
    on(event, () => {
      hasLocalQueue = true;
    });
  }
  on('job:start', (payload) => {
    answered(payload);
    running.add(jobOf(payload));
  });
  on('job:error', (payload) => {
    // The last attempt also has `job:failed`.
    tally.failed();
    running.delete(jobOf(payload));
  });
  for (const event of ['job:success', 'job:failed']) on(event, tally.done);
  on('job:complete', (payload) => void running.delete(jobOf(payload)));
  for (const event of ['stop', 'pool:gracefulShutdown', 'pool:forcefulShutdown', 'pool:release']) {
    on(event, () => {
      stopped = true;
    });
  }
  return {
    look(): Seen {
      if (stopped) return { ...tally.seen, stopped: 'graphile-worker is stopped' };
      if (failure !== undefined) throw failure.error;
      const silence = hasLocalQueue ? 0 : performance.now() - Math.min(...asking.values());
      if (silence > stalledAfter) {
        throw new Unconnected('unreachable', `PostgreSQL has not answered for ${span(silence)}`);
      }
      return { ...tally.seen, pending: running.size };
    },
  };
}
