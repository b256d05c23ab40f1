// Generated orders of events, as each library emits them by its source: work is stuck exactly when there is some and none of it gets done.
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checks, Health } from 'lifesign/node';
import { say } from '../say.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const stalledAfter = 60_000;
const none = () => {};

/** A consumer, what can happen to it, and how much is waiting or in progress. */
interface Story {
  readonly consumer: object;
  readonly queue?: unknown;
  /** Each returns whether a part of the work is done by it. `at` chooses a message. */
  readonly steps: Readonly<Record<string, (at: number) => boolean>>;
  readonly pending: () => number;
}

/** What nobody has done yet, by number. */
class Open extends Set<number> {
  pick(at: number): number | undefined {
    return [...this][at % Math.max(1, this.size)];
  }
}

const amqpMethods = { ack: 3_932_240, reject: 3_932_250, nack: 3_932_280 } as const;

/** A channel as that of amqplib: what settles a message is sent by one method. */
class Channel extends EventEmitter {
  readonly consumers = new Map([['tag', none]]);
  readonly connection: { channels: ({ channel: Channel } | null)[]; ready: number };
  readonly ch: number;
  constructor(connection: Channel['connection']) {
    super();
    this.connection = connection;
    this.ch = connection.channels.push({ channel: this }) - 1;
  }
  settle(method: keyof typeof amqpMethods, deliveryTag: number, more: object = {}): void {
    this.sendImmediately(amqpMethods[method], { deliveryTag, ...more });
  }
  sendImmediately(_method: number, _fields: object): void {}
  ack(): void {}
  nack(): void {}
  async open(): Promise<void> {}
  async consume(): Promise<void> {}
  async checkQueue(): Promise<object> {
    return { messageCount: this.connection.ready };
  }
  async close(): Promise<void> {
    this.connection.channels[this.ch] = null;
  }
}

function amqp(reconnects: boolean): Story {
  const connection: Channel['connection'] = { channels: [], ready: 0 };
  const setups: (() => void)[] = [];
  const open = new Open();
  let tag = 0;
  let inTick: ((delivered: number) => void) | undefined;
  // amqplib listens first, and calls the consumer of the application.
  const follow = (channel: Channel) =>
    channel.on('delivery', ({ fields }: { fields: { deliveryTag: number } }) => inTick?.(fields.deliveryTag));
  let current = follow(new Channel(connection));
  const deliver = () => {
    tag += 1;
    open.add(tag);
    current.emit('delivery', { fields: { deliveryTag: tag } });
  };
  const settle = (
    at: number | undefined,
    method: keyof typeof amqpMethods,
    { multiple = false, requeue = false } = {},
  ) => {
    if (at === undefined) return false;
    current.settle(method, at, { multiple, requeue });
    for (const each of open) if (each === at || at === 0 || (multiple && each <= at)) open.delete(each);
    return true;
  };
  const wrapper = {
    ack: none,
    nack: none,
    checkQueue: none,
    consume: none,
    on: none,
    get _channel() {
      return current;
    },
    addSetup: async (setup: () => void) => void setups.push(setup),
  };
  return {
    consumer: reconnects ? wrapper : current,
    queue: 'jobs',
    pending: () => open.size + connection.ready,
    steps: {
      arrive: () => Boolean((connection.ready += 1)) && false,
      take: () => {
        connection.ready = Math.max(0, connection.ready - 1);
        deliver();
        return false;
      },
      handle: () => {
        inTick = (delivered) => void settle(delivered, 'ack');
        deliver();
        inTick = undefined;
        return true;
      },
      ack: (at) => settle(open.pick(at), 'ack'),
      ackUpTo: (at) => settle(open.pick(at), 'ack', { multiple: true }),
      ackAll: () => settle(open.size > 0 ? 0 : undefined, 'ack', { multiple: true }),
      reject: (at) => settle(open.pick(at), 'reject'),
      requeue: (at) => settle(open.pick(at), 'nack', { requeue: true }),
      ...(reconnects && {
        reconnect: () => {
          connection.channels[current.ch] = null;
          current.emit('close');
          current = follow(new Channel(connection));
          for (const setup of setups) setup();
          open.clear();
          tag = 0;
          return false;
        },
      }),
    },
  };
}

/** Only completed and failed jobs have an event for their end; older versions do not count their jobs. */
function bullmq(counts: boolean): Story {
  const running = new Open();
  let waiting = 0;
  let id = 0;
  const emitter = new EventEmitter().on('error', none);
  const end = (event: string, more: object, isDone: boolean) => (at: number) => {
    const job = running.pick(at);
    if (job === undefined) return false;
    running.delete(job);
    emitter.emit(event, event === 'error' ? new Error(`Missing lock for job ${job}.`) : { id: job, ...more });
    return isDone;
  };
  return {
    consumer: Object.assign(emitter, {
      name: 'jobs',
      isRunning: () => true,
      isPaused: () => false,
      waitUntilReady: async () => {},
      ...(counts && { lockManager: { getActiveJobCount: () => running.size } }),
    }),
    queue: {
      name: 'jobs',
      add: none,
      getJobCounts: async () => ({ waiting, active: running.size }),
      isPaused: async () => false,
    },
    pending: () => waiting + running.size,
    steps: {
      arrive: () => Boolean((waiting += 1)) && false,
      take() {
        waiting = Math.max(0, waiting - 1);
        id += 1;
        running.add(id);
        emitter.emit('active', { id });
        return false;
      },
      report: (at) => running.size > 0 && emitter.emit('progress', { id: running.pick(at) }, 50),
      complete: end('completed', {}, true),
      retry: end('failed', { attemptsMade: 1, opts: { attempts: 3 } }, true),
      last: end('failed', { attemptsMade: 3, opts: { attempts: 3 } }, true),
      unrecoverable: end('failed', { attemptsMade: 1, finishedOn: 5, opts: { attempts: 3 } }, true),
      lockLost: end('error', {}, false),
    },
  };
}

const stories: Readonly<Record<string, () => Story>> = {
  amqplib: () => amqp(false),
  'amqp-connection-manager': () => amqp(true),
  bullmq: () => bullmq(true),
  'bullmq without a count': () => bullmq(false),
};

/** A function that tells whether work is stuck, and how much there is once it must be. */
function watching({ consumer, queue }: Story) {
  const health = new Health(undefined, { logger: false });
  health.check('progress', checks.progress({ consumer, queue, stalledAfter } as never));
  const fields = async () => {
    const { results } = await health.heartbeat();
    return results[0]?.messages.find(({ id }) => id !== 'health.E037')?.fields;
  };
  onTestFinished(() => health.close());
  return async () => {
    const stuck = (await fields()) !== undefined;
    vi.advanceTimersByTime(stalledAfter + 1);
    return { stuck, pending: Number((await fields())?.['pending'] ?? 0) };
  };
}

describe.each(Object.keys(stories))('%s', (name) => {
  it('is stuck when there is work and none of it gets done, and all of it is counted', async () => {
    const step = fc.tuple(fc.nat(), fc.nat(5), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (given) => {
        const story = stories[name]?.();
        if (story === undefined) throw new Error(`No story of ${name}`);
        const see = watching(story);
        const steps = Object.values(story.steps);
        let before = 0;
        let isDone = true;
        await see();
        for (const [which, at, looks] of given) {
          if (steps[which % steps.length]?.(at) === true) isDone = true;
          if (!looks) continue;
          const pending = story.pending();
          expect(await see()).toEqual({ stuck: !isDone && before > 0 && pending > 0, pending });
          before = pending;
          isDone = false;
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a channel', () => {
  /** What is said of a channel with three messages that wait, once it would be stuck. */
  async function seen(options: object, use: (channel: Channel) => void = none) {
    const channel = new Channel({ channels: [], ready: 3 });
    const check = checks.progress({ consumer: channel as never, queue: 'jobs', stalledAfter, ...options });
    await say(check);
    use(channel);
    vi.advanceTimersByTime(stalledAfter + 1);
    return (await say(check)).join();
  }
  const deliver = (channel: Channel) => channel.emit('delivery', { fields: { deliveryTag: 1 } });

  it('says what to write where messages are never acknowledged', async () => {
    expect(await seen({}, deliver)).toMatch(/4 waiting or in progress; .*noAck: true/);
  });

  it('has nothing in progress where consumers have noAck: a delivery is progress', async () => {
    expect(await seen({ noAck: true }, deliver)).toBe('');
    expect(await seen({ noAck: true })).toContain('3 waiting or in progress');
  });

  it('throws what its own methods throw', async () => {
    const channel = new Channel({ channels: [], ready: 0 });
    channel.sendImmediately = () => {
      throw new Error('Channel closed');
    };
    await say(checks.progress({ consumer: channel as never, queue: 'jobs', stalledAfter }));
    expect(() => channel.settle('ack', 1)).toThrow('Channel closed');
  });
});
