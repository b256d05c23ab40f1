import { call, hasMethods, isObject, numberOf, property } from '../client.js';
import { stores } from '../key-values/index.js';
import type { KeyValueStore } from '../key-values/store.js';
import { type Life, listen, monitorErrors } from '../listening.js';
import { notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import type { Broker, Consumer, ConsumerSettings } from './broker.js';

/** A `Worker` of bullmq. */
export interface BullWorker {
  readonly name: string;
  isRunning(): boolean;
  isPaused(): boolean;
  waitUntilReady(): Promise<unknown>;
}

/** A `Queue` of bullmq. */
export interface BullQueue {
  readonly name: string;
  getJobCounts(...types: never): Promise<Record<string, number>>;
  isPaused(): Promise<boolean>;
}

const isBullWorker = (value: unknown): value is BullWorker =>
  hasMethods(value, 'isRunning', 'isPaused', 'waitUntilReady', 'on') && 'name' in value;

export const isBullQueue = (value: unknown): value is BullQueue =>
  hasMethods(value, 'getJobCounts', 'isPaused', 'add') && 'name' in value;

const isBull = (value: unknown): value is BullQueue | BullWorker => isBullQueue(value) || isBullWorker(value);

/** The Redis of a queue or a worker: BullMQ 5 has its connection itself, 6 in its backend. */
function redisOf(owner: unknown, life: Life): KeyValueStore | undefined {
  for (const holder of [property(owner, 'backend'), owner]) {
    const client = property(holder, 'connection', '_client');
    for (const each of [client, property(client, 'client'), property(client, 'raw')]) {
      const redis = stores.recognise(each);
      if (redis !== undefined) return redis(life);
    }
  }
  return undefined;
}

/** Rejects at once if a queue or a worker has no connection: it would wait. It has a client only once it is ready. */
function pingRedisOf(owner: unknown, life: Life): (signal: AbortSignal) => Promise<void> {
  let store: KeyValueStore | undefined;
  const current = () => (store ??= redisOf(owner, life));
  current();
  return async (signal) => void (await current()?.ping(signal));
}

function bullmqBroker(client: BullQueue | BullWorker, life: Life): Broker {
  const ping = pingRedisOf(client, life);
  return {
    name: 'the BullMQ Redis server',
    async ping(signal) {
      if (isObject(property(client, 'closing'))) throw notOpen('connection');
      await ping(signal);
    },
  };
}

const states = ['waiting', 'prioritized', 'paused'];

/** A BullMQ worker reports its jobs by events, its queue how many wait. */
function bullmqWorker(worker: BullWorker, { queue, life }: ConsumerSettings): Consumer {
  let mark = 0;
  const ping = pingRedisOf(queue ?? worker, life);
  const running = new Set<unknown>();
  let lostAt: number | undefined;
  const lost = () => (lostAt = performance.now());
  listen(life, worker, 'active', (job) => void running.add(property(job, 'id')));
  listen(life, worker, 'progress', () => (mark += 1));
  for (const event of ['completed', 'failed']) {
    listen(life, worker, event, (job) => {
      running.delete(property(job, 'id'));
      mark += 1;
    });
  }
  listen(life, worker, 'lockRenewalFailed', lost);
  monitorErrors(life, worker, (error) => {
    const message = String(property(error, 'message'));
    if (!/^Missing lock for job|^could not renew lock/.test(message)) return;
    lost();
    running.delete(/for job ([^\s.]+)/.exec(message)?.[1]);
  });
  return {
    name: worker.name,
    async read(signal: AbortSignal) {
      if (isObject(property(worker, 'closing'))) return { stopped: 'the application has closed it' };
      await ping(signal);
      const counts = await call(queue, 'getJobCounts', ...states, 'active');
      const waiting = states.map((name) => numberOf(counts, name) ?? 0);
      const active = numberOf(counts, 'active') ?? Infinity;
      const paused = worker.isPaused() || (await call(queue, 'isPaused')) === true;
      return {
        mark,
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

export const bullmq = kind(['bullmq Queue or Worker'], isBull, bullmqBroker);
export const bullmqConsumer = kind(['bullmq Worker'], isBullWorker, bullmqWorker);
