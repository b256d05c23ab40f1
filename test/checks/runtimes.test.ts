import { totalmem } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Life, monitorErrors } from '../../src/checks/listening.js';
import * as checks from 'lifesign/checks';
import { grpcReason } from '../../src/checks/grpc/reasons.js';
import { lending, type Lender } from '../../src/checks/pools/lending.js';
import { reasonOf } from '../../src/checks/reasons.js';
import { abortController } from '../../src/core/heartbeat/run.js';
import { loop } from '../../src/core/loop.js';
import { host } from '../../src/core/runtime.js';
import { never, say, sayInTime } from './say.js';

/** What a runtime has of Node's process, for the rest of this test. */
function having(members: Readonly<Record<string, unknown>>): void {
  for (const [name, member] of Object.entries(members)) {
    const own: unknown = Reflect.get(host, name);
    Reflect.set(host, name, member);
    onTestFinished(() => void Reflect.set(host, name, own));
  }
}

describe('a runtime that has less than Node', () => {
  it('has no file system, no sockets and an event loop that does not tell', async () => {
    const disk = checks.disk({ path: '/data' });
    const tcp = checks.tcp('mail', 25);
    having({ getBuiltinModule: undefined });
    expect(await say(disk)).toEqual([
      expect.stringMatching(
        /^Error health\.E017: Cannot read the free space of data: .*This runtime has no file system/,
      ),
    ]);
    expect(await say(tcp)).toEqual([expect.stringContaining('This runtime has no sockets')]);
    expect(await say(checks.eventLoop({ utilization: { warn: 1e-9 } }))).toEqual([]);
    const on = vi.fn();
    monitorErrors(new Life(), { on }, () => {});
    expect(on).not.toHaveBeenCalled();
  });

  it('shows no memory', async () => {
    having({ memoryUsage: undefined });
    expect(await say(checks.memory({ limit: 1, warn: 1e-9 }))).toEqual([]);
  });

  it.each<[string, unknown, boolean]>([
    ['without a limit', 0, false],
    ['that does not know of limits', undefined, false],
    ['with a limit', 2 ** 20, true],
    ['with a limit above all there is', 2 ** 60, false],
  ])('a container %s', async (_what, limit, isFull) => {
    having({ constrainedMemory: limit === undefined ? undefined : () => limit });
    const said = await say(checks.memory({ error: 1 }));
    expect(said).toEqual(isFull ? [expect.stringContaining(' of 1 MiB memory')] : []);
  });

  it('a container is allowed no more than its machine has', async () => {
    having({ constrainedMemory: () => 2 ** 60 });
    expect(await say(checks.memory({ warn: 1e-12 }))).toEqual([
      expect.stringContaining(` of ${Math.round(totalmem() / 2 ** 20)} MiB memory`),
    ]);
  });

  it('whose machine does not tell has room', async () => {
    having({ constrainedMemory: undefined, getBuiltinModule: undefined });
    expect(await say(checks.memory({ warn: 1e-9 }))).toEqual([]);
  });
});

it('a file system without a size is never full', async () => {
  expect(await say(checks.disk({ path: '/proc', warn: 1e-9 }))).toEqual([]);
});

it.each([[''], [undefined], [5]])('checks.disk refuses the path %j', (path) => {
  expect(() => checks.disk({ path } as never)).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
  );
});

describe('checks.eventLoop', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
  afterEach(() => {
    vi.useRealTimers();
    delete loop.last;
  });
  const busy = () => checks.eventLoop({ utilization: { warn: 1e-9 }, delay: { warn: 1e9 } });

  it('judges half a second at least, and the same one for all who ask meanwhile', async () => {
    const check = busy();
    // Only a loop that has turned has a utilization.
    await new Promise((resolve) => setImmediate(resolve));
    expect(await sayInTime(check)).toEqual([]);
    vi.advanceTimersByTime(500);
    const said = await sayInTime(check);
    expect(said).toEqual([
      expect.stringMatching(/^Warning health\.W006: The event loop is busy \d+ % of the time, above 0 %$/),
    ]);
    vi.advanceTimersByTime(499);
    expect(await sayInTime(check)).toEqual(said);
  });

  it.each([
    ['parse (report.js:12)', 0, '; it was blocked in parse (report.js:12)'],
    [undefined, 0, '; it was blocked'],
    ['parse (report.js:12)', -60_000, ''],
  ])('says what blocked it, where that was in its time: %j %i', async (culprit, before, text) => {
    const check = busy();
    await new Promise((resolve) => setImmediate(resolve));
    const none = { stack: undefined, noStack: undefined, rid: undefined, method: undefined, path: undefined };
    loop.last = { since: Date.now() + before, blockedFor: 400, culprit, ...none };
    vi.advanceTimersByTime(1000);
    expect(await sayInTime(check)).toEqual([expect.stringMatching(/above 0 %/)]);
    expect((await sayInTime(check))[0]?.replace(/^.* above 0 %/, '')).toBe(text);
  });
});

describe('a pool that gives nothing', () => {
  const late = () => ({ signal: abortController(performance.now() + 5).signal });
  const roomy = { used: 0, max: 4, connecting: 0 };
  const textOf = async (lender: Partial<Lender<object>>) => {
    const lend = lending<object>({ acquire: () => ({ connection: never() }), release: () => {}, ...lender });
    return lend(async () => 'lent', late()).catch((thrown: unknown) => reasonOf(thrown).text);
  };
  it.each<[string, Partial<Lender<object>>, string]>([
    [
      'and has room, for a known reason',
      { usage: () => roomy, failure: () => ({ code: 'ECONNREFUSED' }) },
      'connection refused (ECONNREFUSED)',
    ],
    [
      'and has room, for its settings',
      { usage: () => roomy, failure: () => ({ code: '28P01' }) },
      'the server rejected the user or password (28P01)',
    ],
    [
      'and has room, for a reason that ended something else',
      { usage: () => roomy, failure: () => new Error('x') },
      'connecting took too long',
    ],
    [
      'and is full, whatever failed before',
      { usage: () => ({ used: 4, max: 4 }), failure: () => ({ code: 'ECONNREFUSED' }) },
      'pool exhausted: 4 of 4 connections in use',
    ],
    ['and shows nothing', {}, 'the pool did not provide a connection in time'],
    [
      'because it says so',
      {
        usage: () => ({ used: 4, max: 4, waiting: 7 }),
        acquire: () => ({ connection: Promise.reject(new Error('timeout exceeded when trying to connect')) }),
      },
      'pool exhausted: 4 of 4 connections in use, 7 waiting',
    ],
  ])('%s', async (_what, lender, text) => {
    expect(await textOf(lender)).toBe(text);
  });
});

describe('checks.mongo', () => {
  const mongo = (members: object) =>
    checks.mongo({ startSession() {}, close() {}, db: () => ({ command: never }), ...members } as never);
  const servers = (...errors: readonly unknown[]) => ({
    topology: { description: { servers: new Map(errors.map((error, index) => [index, { error }])) } },
  });

  it('tells why no server was found, where the driver knows', async () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(await say(mongo(servers(null, refused)), 10)).toEqual([
      'Error health.E021: Cannot reach MongoDB: connection refused (ECONNREFUSED)',
    ]);
  });

  it.each([[{}], [servers(null)], [{ topology: { description: { servers: {} } } }]])(
    'waits for the answer where it does not: %j',
    async (members) => {
      let answer = () => {};
      const command = vi.fn(() => new Promise<void>((resolve) => void (answer = resolve)));
      const due = performance.now() + 10;
      const said = say(mongo({ ...members, db: () => ({ command }) }), 10);
      await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(due), {
        interval: 1,
        timeout: 20_000,
      });
      await vi.waitFor(() => expect(command).toHaveBeenCalled(), { interval: 1, timeout: 20_000 });
      answer();
      expect(await said).toEqual([]);
    },
  );

  it('of mongoose is not open before it has a client', async () => {
    const mongoose = { getClient: () => undefined, model() {} };
    expect(await say(checks.mongo(mongoose))).toEqual([
      expect.stringContaining('the connection was not opened'),
    ]);
  });
});

it.each([
  [{ code: 'ECONNREFUSED', address: '10.0.0.1' }, 'connection refused (ECONNREFUSED 10.0.0.1)'],
  [
    { code: 'ECONNREFUSED', address: '10.0.0.1', port: 5432 },
    'connection refused (ECONNREFUSED 10.0.0.1:5432)',
  ],
  [{ code: 'ECONNREFUSED', address: '/run/secret/pg.sock' }, 'connection refused (ECONNREFUSED pg.sock)'],
])('says where a server was looked for: %j', (thrown, text) => expect(reasonOf(thrown).text).toBe(text));

it.each<[unknown, string]>([
  [{ code: 14, details: 'No connection established' }, 'no connection (UNAVAILABLE)'],
  [{ code: 14, details: 'connect ECONNREFUSED 10.0.0.1:1' }, 'connection refused (ECONNREFUSED)'],
  [{ code: 99, details: 'secret' }, 'the call failed (status 99)'],
  [{ code: 2, details: 'secret' }, 'the call failed (UNKNOWN)'],
  [new Error('The client has been shut down'), 'the application closed its client'],
])('says why a call of gRPC failed, without a word of the server: %j', (thrown, text) => {
  expect(grpcReason(thrown).text).toBe(text);
});
