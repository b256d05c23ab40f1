import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect, createServer, type AddressInfo } from 'node:net';
import { Deadline, unwatch, watch, within } from '../../src/core/deadlines.js';
import { makeHealth, report } from './make-health.js';
import { block, deferred, turn } from './waiting.js';

const never = () => new Promise<never>(() => {});

describe('the timeout of a check', () => {
  it('is E012 with the time it had, and its signal is aborted', async () => {
    const { health } = makeHealth({ timeout: 20 });
    let signal: AbortSignal | undefined;
    health.check('hangs', (context) => {
      signal = context.signal;
      return never();
    });
    health.check('well', () => []);
    const { status, body } = await report(health);
    expect(status).toBe(500);
    expect(body).toEqual({
      status: 'error',
      checks: { hangs: 'error', well: 'ok' },
      details: {
        hangs: {
          status: 'error',
          level: 40,
          messages: { 'health.E012': 'Check hangs did not answer within 20 ms' },
        },
      },
    });
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('a hung run is not started again until it settles; E013 says since when', async () => {
    const { health } = makeHealth({ timeout: 20 });
    let runs = 0;
    const released = [deferred(), deferred()];
    health.check('hangs', () => {
      runs += 1;
      return released[runs - 1]?.promise;
    });
    const before = Date.now();
    await health.heartbeat();
    const second = await health.heartbeat();
    expect(runs).toBe(1);
    const text = second.results[0]?.messages[0]?.text ?? '';
    expect(second.results[0]?.messages[0]?.id).toBe('health.E013');
    expect(text).toMatch(
      /^Check hangs did not answer within 20 ms and has been running since \S+, so it was not started again$/,
    );
    const since = Date.parse(/since (\S+),/.exec(text)?.[1] ?? '');
    expect(since).toBeGreaterThanOrEqual(before - 2);
    expect(since).toBeLessThanOrEqual(Date.now());

    released[0]?.resolve();
    await turn();
    const third = health.heartbeat();
    released[1]?.resolve();
    expect((await third).status).toBe('ok');
    expect(runs).toBe(2);
  });

  it('a rejection after the timeout is nobody’s unhandled rejection', async () => {
    const { health } = makeHealth({ timeout: 10 });
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const late = deferred();
    health.check('late', () => late.promise);
    expect((await health.heartbeat()).results[0]?.messages[0]?.id).toBe('health.E012');
    late.reject(new Error('too late'));
    await turn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('the option heartbeatTimeout', () => {
  it('ends the heartbeat: what is unfinished is E012, what is done keeps its result', async () => {
    const { health } = makeHealth({ heartbeatTimeout: 30 });
    let aborted = false;
    health.check('quick', () => []);
    health.check(
      'slow',
      ({ signal }) => {
        signal.addEventListener('abort', () => (aborted = true));
        return never();
      },
      { timeout: 60_000 },
    );
    const heartbeat = await health.heartbeat();
    expect(heartbeat.results.map(({ status }) => status)).toEqual(['ok', 'error']);
    expect(heartbeat.results[1]?.messages[0]).toMatchObject({
      id: 'health.E012',
      text: 'Check slow did not answer within the heartbeat timeout of 30 ms',
    });
    expect(aborted).toBe(true);
  });

  it('leaves a shorter timeout of a check alone', async () => {
    const { health } = makeHealth({ heartbeatTimeout: 60_000 });
    health.check('slow', never, { timeout: 15 });
    const { results } = await health.heartbeat();
    expect(results[0]?.messages[0]?.text).toBe('Check slow did not answer within 15 ms');
  });

  it('does not start what comes after checks that blocked all of its time', async () => {
    const { health } = makeHealth({ heartbeatTimeout: 20 });
    let started = false;
    health.check('blocks', () => {
      block(40);
    });
    health.check('after', () => {
      started = true;
    });
    const { results } = await health.heartbeat();
    expect(started).toBe(false);
    expect(results[1]?.messages[0]).toMatchObject({
      id: 'health.E012',
      text: 'Check after was not started: other checks used up the heartbeat timeout of 20 ms',
    });
  });

  it('is read from HEALTH_HEARTBEAT_TIMEOUT and refused when wrong', () => {
    process.env['HEALTH_HEARTBEAT_TIMEOUT'] = '750';
    try {
      expect(makeHealth().health.options.heartbeatTimeout).toBe(750);
      expect(makeHealth({ heartbeatTimeout: 5 }).health.options.heartbeatTimeout).toBe(5);
      process.env['HEALTH_HEARTBEAT_TIMEOUT'] = 'soon';
      expect(() => makeHealth()).toThrow(
        'HEALTH_HEARTBEAT_TIMEOUT is "soon"; it must be an integer from 1 to 2147483647 (milliseconds), or a text such as "30s".',
      );
    } finally {
      delete process.env['HEALTH_HEARTBEAT_TIMEOUT'];
    }
    expect(makeHealth().health.options.heartbeatTimeout).toBeUndefined();
    expect(() => makeHealth({ heartbeatTimeout: 0 })).toThrow('Option heartbeatTimeout is 0');
  });
});

it('an event loop that was blocked for longer than the timeout does not make a healthy check fail', async () => {
  const server = createServer((socket) => void socket.on('data', () => socket.end('pong')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { health } = makeHealth({ timeout: 100 });
  health.check('socket', async () => {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write('ping');
    // Timer and answer are both waiting when the loop turns again, and timers come first.
    setImmediate(() => block(200));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    return [];
  });
  // The second and third are blocked while the first one's lateness is still being forgiven.
  for (let round = 0; round < 3; round += 1) {
    expect((await health.heartbeat()).results[0]?.messages).toEqual([]);
  }
  server.close();
});

it('wall clock jumps change nothing: deadlines run on the monotonic clock', async () => {
  const { health } = makeHealth({ timeout: 15 });
  health.check('hangs', never);
  const real = Date.now;
  try {
    Date.now = () => real() + 86_400_000;
    const beating = health.heartbeat();
    Date.now = () => real() - 86_400_000;
    const { results } = await beating;
    expect(results[0]?.messages[0]?.id).toBe('health.E012');
    expect(results[0]?.duration).toBeLessThan(60_000);
  } finally {
    Date.now = real;
  }
});

it('one timer serves all runs', async () => {
  const { health } = makeHealth({ timeout: 60_000 });
  health.check('async', async () => turn().then(() => []));
  const made = vi.spyOn(globalThis, 'setTimeout');
  await Promise.all(Array.from({ length: 50 }, () => health.heartbeat()));
  expect(made.mock.calls.length).toBeLessThanOrEqual(2);
  made.mockRestore();
});

describe('a deadline', () => {
  class Noted extends Deadline {
    readonly expire: () => void;

    constructor(ms: number, expire: () => void) {
      super(performance.now() + ms);
      this.expire = expire;
    }
  }

  /** Time that passes when a test says so, and the names of the deadlines that have expired. */
  function held() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    const expired: string[] = [];
    const note = (name: string, ms: number) => {
      const deadline = new Noted(ms, () => void expired.push(name));
      watch(deadline);
      return deadline;
    };
    return { note, expired };
  }
  afterEach(() => void vi.useRealTimers());

  it('expires when it is due, once, whatever came before and after it', async () => {
    const { note, expired } = held();
    note('b', 20);
    note('a', 10);
    note('c', 30);
    for (const [ms, names] of [
      [8, []],
      [3, ['a']],
      [10, ['a', 'b']],
      [10, ['a', 'b', 'c']],
      [1000, ['a', 'b', 'c']],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms);
      expect(expired).toEqual(names);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it('of several that are due the oldest comes first', async () => {
    const { note, expired } = held();
    for (const name of ['a', 'b', 'c']) note(name, 10);
    await vi.advanceTimersByTimeAsync(11);
    expect(expired).toEqual(['a', 'b', 'c']);
  });

  it.each(['a', 'b', 'c'])('%s of three that is unwatched never expires, the others do', async (name) => {
    const { note, expired } = held();
    const deadlines = new Map(['a', 'b', 'c'].map((one) => [one, note(one, 10)]));
    const left = deadlines.get(name);
    if (left !== undefined) {
      unwatch(left);
      // Once more changes nothing.
      unwatch(left);
    }
    await vi.advanceTimersByTimeAsync(11);
    expect(expired).toEqual(['a', 'b', 'c'].filter((one) => one !== name));
  });

  it('may watch another when it expires', async () => {
    const { note, expired } = held();
    watch(new Noted(10, () => void note('second', 10)));
    await vi.advanceTimersByTimeAsync(15);
    expect(expired).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(expired).toEqual(['second']);
  });

  it('is forgiven as much lateness of the loop as there was, a tenth of a second at the most', async () => {
    for (const [late, forgiven] of [
      [50, 50],
      [400, 100],
    ] as const) {
      const { note, expired } = held();
      note('a', 10);
      // The clock goes on and no timer runs: the loop is blocked.
      const clock = vi.spyOn(performance, 'now');
      const start = performance.now();
      clock.mockReturnValue(start + 10 + late);
      await vi.advanceTimersByTimeAsync(10);
      await vi.advanceTimersByTimeAsync(forgiven - 1);
      expect(expired).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(expired).toEqual(['a']);
      clock.mockRestore();
      vi.useRealTimers();
    }
  });

  it('keeps no process alive', () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const deadline = new Noted(60_000, () => {});
    watch(deadline);
    expect(timers()).toBe(before);
    unwatch(deadline);
  });

  it('bounds a promise: its value, what it rejects with, or what is given for late', async () => {
    held();
    expect(await within(Promise.resolve(1), 10, 2)).toBe(1);
    await expect(within(Promise.reject(new Error('no')), 10, 2)).rejects.toThrow('no');
    const late = within(never(), 10, 2);
    await vi.advanceTimersByTimeAsync(11);
    expect(await late).toBe(2);
  });
});
