import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checks } from 'lifesign/express';
import { never, say } from '../say.js';

function zero(): number {
  return 0;
}
const stalledAfter = 60_000;

describe('checks.progress of functions', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('is stuck when there is work and none of it is done', async () => {
    let pending = 0;
    let done = 0;
    const check = checks.progress({
      name: 'orders',
      pending: () => pending,
      processed: () => done,
      stalledAfter,
    });
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter * 100);
    expect(await say(check)).toEqual([]);
    pending = 12;
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter + 1000);
    const stuck = 'Error health.E036: No progress on orders for 61 s: 12 waiting or in progress';
    expect(await say(check)).toEqual([stuck]);
    done += 1;
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter - 1);
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(69 * 60_000 + 1);
    expect(await say(check)).toEqual([
      'Error health.E036: No progress on orders for 70 min: 12 waiting or in progress',
    ]);
    pending = 0;
    expect(await say(check)).toEqual([]);
  });

  it('takes dates, numbers, bigints and nothing for the last progress', async () => {
    const marks = [undefined, null, new Date(5), 6, 7n, new Date(8)];
    let mark: (typeof marks)[number];
    const check = checks.progress({ pending: async () => 1n, processed: async () => mark, stalledAfter });
    for (const each of marks) {
      mark = each;
      expect(await say(check)).toEqual([]);
      vi.advanceTimersByTime(stalledAfter - 1);
      // Nothing is the same as nothing.
      if (each !== null) expect(await say(check)).toEqual([]);
    }
    vi.advanceTimersByTime(stalledAfter);
    expect(await say(check)).toEqual(['Error health.E036: No progress for 2 min: 1 waiting or in progress']);
  });

  it('tells that work is paused, and counts anew after that', async () => {
    let paused = true;
    const check = checks.progress({
      pending: () => 3,
      processed: () => 0,
      paused: () => paused,
      stalledAfter,
    });
    vi.advanceTimersByTime(stalledAfter * 2);
    expect(await say(check)).toEqual(['Info health.I006: Work is paused: 3 waiting or in progress']);
    paused = false;
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter - 1);
    expect(await say(check)).toEqual([]);
  });

  it('never throws and always says why, whatever the functions do', async () => {
    const outcome = fc.oneof(
      fc.anything().map((value) => () => value),
      fc.anything().map((value) => async () => value),
      fc.anything().map((thrown) => () => {
        throw thrown;
      }),
    );
    await fc.assert(
      fc.asyncProperty(outcome, outcome, outcome, async (pending, processed, paused) => {
        const given = { pending, processed, paused, stalledAfter };
        const said = await say(checks.progress(given as never));
        for (const each of said) {
          expect(each).toMatch(
            /^(Error health\.E038: Cannot determine the progress: \w+\(\) |Info health\.I006: )/,
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('functions that give no good answer', () => {
  const answers: readonly (readonly [name: string, ask: () => unknown, text: string])[] = [
    ['pending', () => 'many', 'pending() returned "many"; it must be a number of at least 0'],
    ['pending', () => -1, 'pending() returned -1; it must be a number of at least 0'],
    ['pending', () => NaN, 'pending() returned NaN; it must be a number of at least 0'],
    ['pending', () => undefined, 'pending() returned undefined; it must be a number of at least 0'],
    ['pending', never, 'pending() did not answer in time'],
    [
      'processed',
      () => 'now',
      'processed() returned "now"; it must be a valid Date, a number, undefined or null',
    ],
    [
      'processed',
      () => new Date('x'),
      'processed() returned an instance of Date; it must be a valid Date, a number, undefined or null',
    ],
    ['processed', never, 'processed() did not answer in time'],
    ['paused', () => 'yes', 'paused() returned "yes"; it must be true or false'],
    [
      'pending',
      () => {
        throw new TypeError('cannot connect to redis://planted_user:pl4nted-S3cret@cache');
      },
      'pending() failed: TypeError: ',
    ],
  ];
  it.each(answers)('%s: %s', async (name, ask, text) => {
    const given: unknown = { pending: zero, processed: zero, stalledAfter, [name]: ask };
    const said = await say(checks.progress(given as never), 1000);
    expect(said).toEqual([
      expect.stringContaining(`Error health.E038: Cannot determine the progress: ${text}`),
    ]);
    expect(said.join()).not.toMatch(/planted|pl4nted/);
  });

  it('are named also if the event loop was blocked until the run was over', async () => {
    const check = checks.progress({ pending: never, processed: zero, stalledAfter });
    const said = say(check, 200);
    const end = performance.now() + 300;
    while (performance.now() < end);
    expect((await said).join()).toContain('pending() did not answer in time');
  });

  it('are not called again while they hang, and are after a while', async () => {
    const pending = vi.fn(never);
    const check = checks.progress({ pending, processed: () => 1, stalledAfter });
    for (let beat = 0; beat < 5; beat += 1) await say(check, 10);
    expect(pending.mock.calls.length).toBeLessThanOrEqual(3);
    await vi.waitFor(async () => {
      await say(check, 10);
      expect(pending.mock.calls.length).toBeGreaterThan(1);
    }, 5000);
  });
});

describe('checks.progress', () => {
  const functions = { pending: zero, processed: zero };

  it('has a name of its own', () => {
    expect(checks.progress({ ...functions, stalledAfter }).name).toBe('progress');
    const named = checks.progress({ ...functions, name: 'orders', stalledAfter });
    expect(named.name).toBe('progress_orders');
  });

  const refused: readonly (readonly [given: unknown, text: string])[] = [
    [
      { ...functions },
      'Option stalledAfter of checks.progress is undefined; it must be a text such as "30s"',
    ],
    [{ ...functions, stalledAfter: 0 }, 'Option stalledAfter of checks.progress is 0'],
    [{ ...functions, stalledAfter: '60x' }, 'Option stalledAfter of checks.progress is "60x"'],
    [
      { stalledAfter, pending: 5, processed: zero },
      'Option pending of checks.progress is 5; it must be a function',
    ],
    [
      { stalledAfter, pending: () => 5 },
      'Option processed of checks.progress is undefined; it must be a function',
    ],
    [
      { stalledAfter, ...functions, paused: true },
      'Option paused of checks.progress is true; it must be a function',
    ],
    [{ stalledAfter, ...functions, name: '' }, 'Option name of checks.progress is ""'],
    [{ stalledAfter, ...functions, staledAfter: 5 }, 'Unknown option "staledAfter" of checks.progress.'],
    [null, 'it must be an object'],
  ];
  it.each(refused)('refuses %j at once', (given, text) => {
    expect(() => checks.progress(given as never)).toThrow(text);
  });

  it.each([[{}], [[]], [5], ['amqp://guest:guest@localhost'], [class Worker {}], [new EventEmitter()]])(
    'refuses a consumer that is none: %j',
    (consumer) => {
      const make = () => checks.progress({ consumer, queue: 'jobs', stalledAfter } as never);
      expect(make).toThrow(expect.objectContaining({ code: 'LIFESIGN_CLIENT' }));
      expect(make).toThrow(/Supported clients: bullmq Worker, amqplib channel, /);
      expect(make).not.toThrow(/guest/);
    },
  );

  it('refuses a worker without its queue, and a channel without the name of one', () => {
    const worker = { name: 'jobs', isRunning() {}, isPaused() {}, waitUntilReady() {}, on() {} };
    for (const queue of [undefined, 'jobs', {}, worker]) {
      expect(() => checks.progress({ consumer: worker, queue, stalledAfter } as never)).toThrow(
        /^Option queue of checks\.progress is .*Supported clients: bullmq Queue/,
      );
    }
    const channel = { ack() {}, nack() {}, checkQueue() {}, consume() {}, on() {} };
    for (const queue of [undefined, '', 5, {}]) {
      expect(() => checks.progress({ consumer: channel, queue, stalledAfter } as never)).toThrow(
        /^Option queue of checks\.progress is .* it must be the name of the queue\. Write checks\.progress/,
      );
    }
  });

  it('follows the consumer that a function gives, and says that there is none', async () => {
    let consumer: unknown;
    const check = checks.progress({ consumer: () => consumer, stalledAfter } as never);
    expect(await say(check)).toEqual([
      'Error health.E037: The consumer is not taking work: there is currently none',
    ]);
    consumer = 'nonsense';
    expect(await say(check)).toEqual([
      expect.stringContaining('Error health.E038: Cannot determine the progress: '),
    ]);
    // Of JetStream, without work.
    const info = async () => ({ num_pending: 0, num_ack_pending: 0 });
    consumer = { info, consume() {}, fetch() {}, next() {} };
    expect(await say(check)).toEqual([]);
  });
});
