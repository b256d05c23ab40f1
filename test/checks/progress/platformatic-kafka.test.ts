// Orders of events of @platformatic/kafka. The library itself: `npm run test:consumers`.
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Life } from '../../../src/checks/listening.js';
import { platformaticStream as platformaticKafka } from '../../../src/checks/brokers/platformatic-kafka.js';
import { adapt } from './looking.js';
import { until } from '../say.js';

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
          const consumer = adapt(platformaticKafka, stream, settings);
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
    const { look } = adapt(platformaticKafka, stream, settings);
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
    const consumer = adapt(platformaticKafka, stream, settingsIn(life));
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
    expect(await adapt(platformaticKafka, closed, settings).look(starter)).toMatchObject({
      stopped: 'its stream is closed',
    });
  });
});
