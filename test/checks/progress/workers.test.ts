// Orders of events of graphile-worker, sqs-consumer, @platformatic/kafka and @temporalio/worker. The libraries themselves: `npm run test:consumers`.
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { Life } from '../../../src/checks/life.js';
import { graphileWorker } from '../../../src/checks/progress/graphile-worker.js';
import { platformaticKafka } from '../../../src/checks/progress/platformatic-kafka.js';
import { sqsConsumer } from '../../../src/checks/progress/sqs-consumer.js';
import { temporal } from '../../../src/checks/progress/temporal.js';
import { Health } from 'lifesign/node';
import { sayInTime, until } from '../say.js';

const starter = { signal: new AbortController().signal };
const stalledAfter = 60_000;
const settingsIn = (life: Life) => ({ stalledAfter, life });
const settings = settingsIn(new Life());
const unused = () => {};
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const numberOfListeners = (emitter: EventEmitter) =>
  emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const runner = () => ({
  stop: async () => {},
  kill: async () => {},
  addJob: async () => {},
  promise: new Promise<void>(unused),
  events: new EventEmitter(),
});

class Sqs extends EventEmitter {
  status = { isRunning: true, isPolling: true };
  queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders';
  start() {}
  stop() {}
  updateOption() {}
}

class Temporal {
  state = 'RUNNING';
  heartbeating = 0;
  readonly #counts = { activities: 0, activations: 0 };
  readonly subscribers = {
    activities: new Set<(count: number) => void>(),
    activations: new Set<(count: number) => void>(),
  };
  readonly numInFlightActivities$ = this.#observable('activities');
  readonly numInFlightActivations$ = this.#observable('activations');
  #observable(kind: 'activities' | 'activations') {
    return {
      subscribe: (heard: (count: number) => void) => {
        this.subscribers[kind].add(heard);
        heard(this.#counts[kind]);
        return { unsubscribe: () => this.subscribers[kind].delete(heard) };
      },
    };
  }
  change(kind: 'activities' | 'activations', by: number) {
    this.#counts[kind] += by;
    for (const heard of this.subscribers[kind]) heard(this.#counts[kind]);
  }
  getState() {
    return this.state;
  }
  getStatus() {
    return {
      numInFlightActivities: this.#counts.activities,
      numInFlightWorkflowActivations: this.#counts.activations,
      numHeartbeatingActivities: this.heartbeating,
    };
  }
  shutdown() {}
  async run() {}
}

class Stream extends Readable {
  readonly consumer = new EventEmitter();
  offsetsToFetch = new Map([['jobs:0', 0n]]);
  offsetsCommitted = new Map([['jobs:0', 0n]]);
  isUp = true;
  constructor() {
    super({ objectMode: true, read: unused });
  }
  isActive() {
    return !this.destroyed;
  }
  isConnected() {
    return this.isUp;
  }
  arrive(count: number) {
    const offset = this.offsetsToFetch.get('jobs:0') ?? 0n;
    for (let each = 0; each < count; each += 1) this.push({ offset });
    this.offsetsToFetch.set('jobs:0', offset + BigInt(count));
  }
  commit(to: bigint) {
    this.offsetsCommitted.set('jobs:0', to);
  }
}

describe('a runner of graphile-worker', () => {
  const job = (id: number) => ({ worker: id, job: { id } });

  it('has as many jobs in progress as were started and are not over, in any order of events', async () => {
    const step = fc.record({
      id: fc.integer({ min: 0, max: 4 }),
      ending: fc.constantFrom('success', 'retry', 'failed'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const { events, ...rest } = runner();
        const life = new Life();
        const consumer = graphileWorker({ ...rest, events }, settingsIn(life));
        const running = new Set<number>();
        let done = 0;
        for (const { id, ending } of steps) {
          if (!running.has(id)) {
            events.emit('worker:getJob:start', { worker: id });
            events.emit('job:start', job(id));
            running.add(id);
          } else {
            if (ending !== 'success') events.emit('job:error', job(id));
            if (ending !== 'retry') events.emit(`job:${ending}`, job(id));
            if (ending !== 'retry') done += 1;
            events.emit('job:complete', job(id));
            running.delete(id);
          }
          expect(await consumer.look(starter)).toMatchObject({ pending: running.size, mark: done });
        }
        life.close();
        expect(numberOfListeners(events)).toBe(0);
      }),
    );
  });

  it('whose database does not answer is not taken for an idle one, unless it has a local queue', async () => {
    const given = runner();
    const check = checks.progress({ consumer: given, stalledAfter });
    expect(await sayInTime(check)).toEqual([]);
    given.events.emit('worker:getJob:start', { worker: 1 });
    vi.advanceTimersByTime(stalledAfter);
    expect(await sayInTime(check)).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(await sayInTime(check)).toEqual([
      'Error health.E038: Cannot determine the progress: PostgreSQL has not answered for 61 s',
    ]);
    given.events.emit('localQueue:setMode', {});
    expect(await sayInTime(check)).toEqual([]);
    given.events.emit('worker:getJob:error', { worker: 1, error: refused });
    expect(await sayInTime(check)).toEqual([
      'Error health.E038: Cannot determine the progress: connection refused (ECONNREFUSED)',
    ]);
    given.events.emit('worker:getJob:empty', { worker: 1 });
    expect(await sayInTime(check)).toEqual([]);
    given.events.emit('stop', {});
    expect(await sayInTime(check)).toEqual([
      'Error health.E037: The consumer is not taking work: graphile-worker is stopped',
    ]);
  });

  it('has no listener of ours after the last Health is closed, and again in a new one', async () => {
    const given = runner();
    const check = checks.progress({ consumer: given, stalledAfter });
    await sayInTime(check);
    const listening = numberOfListeners(given.events);
    expect(listening).toBeGreaterThan(5);
    const healths = [1, 2].map(() => new Health(createServer(), { logger: false }));
    for (const health of healths) health.check('progress', check);
    healths[0]?.close();
    expect(numberOfListeners(given.events)).toBe(listening);
    healths[1]?.close();
    expect(numberOfListeners(given.events)).toBe(0);
    const again = new Health(createServer(), { logger: false });
    again.check('progress', check);
    await again.heartbeat();
    expect(numberOfListeners(given.events)).toBe(listening);
    again.close();
    expect(numberOfListeners(given.events)).toBe(0);
  });

  it('has none if the Health was closed before the code was there', async () => {
    const given = runner();
    const check = checks.progress({ consumer: given, stalledAfter });
    const health = new Health(createServer(), { logger: false });
    health.check('progress', check);
    health.close();
    await sayInTime(check);
    expect(numberOfListeners(given.events)).toBe(0);
  });

  it('that another one replaces is no longer listened to', async () => {
    const first = runner();
    const second = runner();
    let current: ReturnType<typeof runner> | undefined = first;
    const check = checks.progress({ consumer: () => current, stalledAfter });
    await sayInTime(check);
    expect(numberOfListeners(first.events)).toBeGreaterThan(0);
    current = second;
    await sayInTime(check);
    expect(numberOfListeners(first.events)).toBe(0);
    expect(numberOfListeners(second.events)).toBeGreaterThan(0);
    current = undefined;
    expect(await sayInTime(check)).toEqual([
      'Error health.E037: The consumer is not taking work: there is currently none',
    ]);
  });
});

describe('a consumer of sqs-consumer', () => {
  it('has as many messages in progress as were received and are not over, in any order of events', async () => {
    const ending = fc.constantFrom(
      'message_processed',
      'processing_error',
      'timeout_error',
      'unacknowledged',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(ending, { minLength: 1, maxLength: 10 }), { maxLength: 5 }),
        async (polls) => {
          const given = new Sqs();
          const life = new Life();
          const consumer = sqsConsumer(given, settingsIn(life));
          let done = 0;
          for (const endings of polls) {
            endings.forEach((_, id) => given.emit('message_received', { MessageId: id }));
            let left = endings.length;
            for (const [MessageId, how] of endings.entries()) {
              expect(await consumer.look(starter)).toMatchObject({ pending: left, mark: done });
              if (how === 'unacknowledged') continue;
              if (how === 'message_processed') given.emit(how, { MessageId });
              else given.emit(how, new Error('It fails'), { MessageId });
              if (how === 'message_processed') done += 1;
              left -= 1;
            }
            given.emit('response_processed');
            expect(await consumer.look(starter)).toMatchObject({ pending: 0, mark: done });
          }
          life.close();
          expect(numberOfListeners(given)).toBe(0);
        },
      ),
    );
  });

  it('tells idle, silent, refused and stopped apart', async () => {
    const given = new Sqs();
    const check = checks.progress({ consumer: given, stalledAfter });
    expect(await sayInTime(check)).toEqual([]);
    for (let poll = 0; poll < 30; poll += 1) {
      vi.advanceTimersByTime(20_000);
      given.emit('empty');
      expect(await sayInTime(check)).toEqual([]);
    }
    vi.advanceTimersByTime(stalledAfter + 21_000);
    const unknown = 'Error health.E038: Cannot determine the progress of orders';
    expect(await sayInTime(check)).toEqual([`${unknown}: SQS has not answered for 81 s`]);
    given.emit('message_received', { MessageId: 1 });
    expect(await sayInTime(check)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter + 1000);
    expect(await sayInTime(check)).toEqual([
      'Error health.E036: No progress on orders for 61 s: 1 waiting or in progress',
    ]);
    given.emit('response_processed');
    given.on('error', unused);
    // An error of a message is not one of the connection.
    given.emit('error', refused, { MessageId: 1 });
    expect(await sayInTime(check)).toEqual([]);
    given.emit('error', Object.assign(new Error('failed'), { cause: refused, code: 'Error' }), undefined);
    expect(await sayInTime(check)).toEqual([`${unknown}: connection refused (ECONNREFUSED)`]);
    given.status.isRunning = false;
    expect(await sayInTime(check)).toEqual([
      'Error health.E037: The consumer of orders is not taking work: the application has stopped it, or not started it',
    ]);
  });
});

describe('a stream of @platformatic/kafka', () => {
  it('makes progress when a message is read or committed, and not when others arrive', async () => {
    const step = fc.oneof(
      fc.record({ arrive: fc.integer({ min: 1, max: 3 }) }),
      fc.constantFrom({ read: true }, { commit: true }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(step, { maxLength: 30, size: 'max' }),
        async (autocommit, steps) => {
          const stream = new Stream();
          stream.on('readable', unused);
          const consumer = platformaticKafka(stream, settings);
          let fetched = 0;
          let read = 0;
          let committed = 0;
          let { mark } = await consumer.look(starter);
          for (const each of steps) {
            let isProgress = false;
            if ('arrive' in each) {
              stream.arrive(each.arrive);
              fetched += each.arrive;
              if (autocommit) committed = fetched;
            } else if ('read' in each) {
              isProgress = stream.read() !== null;
              if (isProgress) read += 1;
            } else if (!autocommit) {
              isProgress = committed < read;
              committed = read;
            }
            stream.commit(BigInt(committed));
            const seen = await consumer.look(starter);
            expect(seen.mark !== mark).toBe(isProgress);
            expect(seen.pending).toBe(Math.max(fetched - read, fetched - committed));
            ({ mark } = seen);
          }
          stream.destroy();
        },
      ),
    );
  });

  it('is judged by its commits alone if it hands over every message as it comes', async () => {
    const stream = new Stream();
    stream.on('data', unused);
    const { look } = platformaticKafka(stream, settings);
    stream.arrive(2);
    vi.useRealTimers();
    await until(() => expect(stream.readableLength).toBe(0));
    const before = await look(starter);
    expect(before).toMatchObject({ pending: 2 });
    stream.arrive(1);
    expect((await look(starter)).mark).toBe(before.mark);
    stream.commit(1n);
    expect((await look(starter)).mark).not.toBe(before.mark);
  });

  it('tells why it takes nothing', async () => {
    const stream = new Stream();
    stream.on('error', unused);
    const life = new Life();
    const consumer = platformaticKafka(stream, settingsIn(life));
    stream.isUp = false;
    expect(await consumer.look(starter)).toMatchObject({
      stopped: 'the client has no connection',
      connected: false,
    });
    stream.isUp = true;
    stream.consumer.emit('consumer:heartbeat:error', {});
    vi.advanceTimersByTime(stalledAfter + 1000);
    const unheard = 'its heartbeats to the group have failed for 61 s';
    expect(await consumer.look(starter)).toMatchObject({ stopped: unheard, connected: false });
    stream.consumer.emit('consumer:heartbeat:end', {});
    expect((await consumer.look(starter)).stopped).toBeUndefined();
    life.close();
    expect(numberOfListeners(stream.consumer)).toBe(0);
    stream.destroy(
      Object.assign(new AggregateError([refused], 'fetch failed 2 times.'), { code: 'PLT_KFK_MULTIPLE' }),
    );
    expect(await consumer.look(starter)).toMatchObject({
      stopped: 'its stream was destroyed: connection refused (ECONNREFUSED)',
    });
    const closed = new Stream();
    closed.destroy();
    expect(await platformaticKafka(closed, settings).look(starter)).toMatchObject({
      stopped: 'its stream is closed',
    });
  });
});

describe('a worker of Temporal', () => {
  it('is judged by the tasks in progress that send no heartbeats', async () => {
    const given = new Temporal();
    const check = checks.progress({ name: 'orders', consumer: given, stalledAfter });
    expect(await sayInTime(check)).toEqual([]);
    given.change('activities', 2);
    expect(await sayInTime(check)).toEqual([]);
    // As many as before, but others: one is over.
    for (let round = 0; round < 5; round += 1) {
      vi.advanceTimersByTime(stalledAfter - 1);
      given.change('activities', -1);
      given.change('activities', 1);
      expect(await sayInTime(check)).toEqual([]);
    }
    vi.advanceTimersByTime(stalledAfter + 1000);
    expect(await sayInTime(check)).toEqual([
      'Error health.E036: No progress on orders for 61 s: 2 waiting or in progress',
    ]);
    given.heartbeating = 2;
    expect(await sayInTime(check)).toEqual([]);
    given.change('activations', 1);
    expect(await sayInTime(check)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter);
    expect(await sayInTime(check)).toEqual([
      'Error health.E036: No progress on orders for 60 s: 1 waiting or in progress',
    ]);
  });

  it.each(['INITIALIZED', 'STOPPED', 'STOPPING', 'DRAINING', 'DRAINED', 'FAILED'])(
    'that is %s takes no work',
    async (state) => {
      const given = new Temporal();
      given.state = state;
      expect(await temporal(given, settings).look(starter)).toMatchObject({ stopped: expect.any(String) });
    },
  );

  it('has no subscription of ours afterwards', () => {
    const given = new Temporal();
    const life = new Life();
    temporal(given, settingsIn(life));
    expect(given.subscribers.activities.size).toBe(1);
    life.close();
    expect(given.subscribers.activities.size + given.subscribers.activations.size).toBe(0);
  });
});
