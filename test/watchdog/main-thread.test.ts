// The half of the watchdog in the main thread, with a thread that does as the test says. The real one is in the other files here.
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { VerdictChange } from 'lifesign/signals';
import type { Logger, LogRecord } from 'lifesign';
import { stdoutLogger } from 'lifesign/logging';
import { engineOf, HealthCore } from '../../src/core/health.js';
import { silent } from '../../src/core/log.js';
import { loop, type LoopBlock } from '../../src/core/loop.js';
import { resolveOptions } from '../../src/core/options/resolve-options.js';
import { RequestContext, runInRequest } from '../../src/core/request/request.js';
import { midLine } from '../../src/logging/stdout/mid-line.js';
import { cells, type ThreadData, type ThreadMessage } from '../../src/watchdog/cells.js';
import { Collections } from '../../src/watchdog/collections.js';
import { startWatchdog } from '../../src/watchdog/feature.js';
import { watchInspectors } from '../../src/watchdog/inspectors.js';
import { type Watchdog, watchLoop } from '../../src/watchdog/index.js';
import { blockedRecord, freedRecord } from '../../src/watchdog/records.js';
import { ThreadHandle } from '../../src/watchdog/thread-handle.js';
import { requestUnderWay } from '../../src/watchdog/under-way.js';
import { watched } from '../../src/watchdog/watch.js';
import { turn } from '../core/waiting.js';

vi.mock('../../src/watchdog/thread-source.js', () => ({ threadSource: () => 'the code of the thread' }));

/** What timers were set for, and for when. The watchdog keeps the functions for them that it finds when it is loaded. */
const set = vi.hoisted(() => {
  const calls: { run: () => void; ms: number }[] = [];
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const real = globalThis[name];
    const noted = (run: () => void, ms: number) => {
      calls.push({ run, ms });
      return real(run, ms);
    };
    globalThis[name] = Object.assign(noted, real) as never;
  }
  return calls;
});

/** A thread that runs nothing. */
class Thread extends EventEmitter {
  static readonly started: Thread[] = [];
  static refuses: Error | undefined;
  readonly code: string;
  readonly data: ThreadData;
  readonly options: { readonly env: object; readonly execArgv: readonly string[] };
  terminated = false;
  refs = true;

  constructor(code: string, options: { workerData: ThreadData; env: object; execArgv: readonly string[] }) {
    super();
    if (Thread.refuses !== undefined) throw Thread.refuses;
    this.code = code;
    this.data = options.workerData;
    this.options = options;
    Thread.started.push(this);
  }

  unref(): void {
    this.refs = false;
  }

  terminate(): Promise<number> {
    this.terminated = true;
    this.emit('exit', 1);
    return Promise.resolve(1);
  }

  tells(message: ThreadMessage): void {
    this.emit('message', message);
  }

  cell(name: keyof typeof cells): number {
    return Atomics.load(this.data.cells, cells[name]);
  }
}

const threads = process.getBuiltinModule('node:worker_threads');
const { Worker } = threads;
const thread = (): Thread => {
  const last = Thread.started.at(-1);
  if (last === undefined) throw new Error('no thread was started');
  return last;
};

const open: { close(): void }[] = [];

beforeEach(() => {
  Reflect.set(threads, 'Worker', Thread);
});

afterEach(() => {
  for (const one of open.splice(0)) one.close();
  Reflect.set(threads, 'Worker', Worker);
  Thread.started.length = 0;
  Thread.refuses = undefined;
  delete loop.last;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Where a verdict of the probes comes from. */
const verdicts: { emit?: (change: VerdictChange) => void } = {};

function makeHealth(given?: Logger, options = {}) {
  const records: LogRecord[] = [];
  const logger = given ?? { log: (record: LogRecord) => void records.push(record) };
  const resolved = resolveOptions<never>(options, { versionPath: '.', logger: () => logger });
  const health = new HealthCore<never>(resolved, (host) => {
    verdicts.emit = host.emitVerdict;
    return [];
  });
  return { health, records };
}

function watching(options = {}, given?: Logger, ofHealth = {}) {
  vi.stubEnv('HOST', '127.0.0.1');
  const { health, records } = makeHealth(given, ofHealth);
  const watchdog: Watchdog = watchLoop(health, { port: 8001, ...options });
  open.push(watchdog);
  return { health, records, watchdog };
}

const block = (more: Partial<LoopBlock> = {}): LoopBlock => ({
  since: Date.now() - 1200,
  blockedFor: 1200,
  culprit: 'parse (report.js:12)',
  stack: 'parse (report.js:12)\nmain (app.js:3)',
  noStack: undefined,
  rid: 'r1',
  method: 'GET',
  path: '/report',
  ...more,
});

describe('watchLoop', () => {
  it('starts a thread that knows what it needs and has nothing of the application', () => {
    watching({ busyAfter: 500 }, undefined, { loggerName: 'acme' });
    const { code, data, options, refs } = thread();
    expect([code, refs]).toEqual(['the code of the thread', false]);
    expect(options).toMatchObject({ env: {}, execArgv: [] });
    expect(data).toMatchObject({
      host: '127.0.0.1',
      port: 8001,
      busyAfter: 500,
      stuckAfter: 60_000,
      live: [],
      loggerName: 'acme',
      pid: process.pid,
      look: { pretty: false, colourful: false },
    });
  });

  it('writes as the logger does, and nothing where nothing is logged', () => {
    watching({}, stdoutLogger({ format: 'pretty' })).watchdog.close();
    expect(thread().data.look).toEqual({ pretty: true, colourful: false, to: 'stdout' });
    watching({}, silent);
    expect(thread().data.look).toBeUndefined();
  });

  it('is refused twice in a process, without a Health, and where there are no threads', () => {
    expect(() => watchLoop({} as HealthCore<never>)).toThrow('watchLoop(new Health(app))');
    const { watchdog } = watching();
    expect(() => watchLoop(makeHealth().health)).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_WATCHDOG_TWICE' }),
    );
    watchdog.close();
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    expect(() => watchLoop(makeHealth().health)).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_WATCHDOG_RUNTIME' }),
    );
  });

  it('tells the thread of beats, draining, a wedged instance, half lines and the end', () => {
    set.length = 0;
    const { health } = watching({ busyAfter: 500 });
    const cell = (name: keyof typeof cells) => thread().cell(name);
    expect([cell('beat'), set.map(({ ms }) => ms)]).toEqual([0, [50]]);
    set[0]?.run();
    expect(cell('beat')).not.toBe(0);
    for (const [live, wedged] of [
      ['fail', 1],
      ['pass', 0],
    ] as const) {
      verdicts.emit?.({ live, ready: 'fail', started: 'pass', checks: [] });
      expect(cell('wedged')).toBe(wedged);
    }
    engineOf(health).leave(true);
    expect(cell('refusing')).toBe(1);
    engineOf(health).leave(false);
    expect(cell('refusing')).toBe(0);
    midLine.onChange?.(true);
    expect(cell('midLine')).toBe(1);
    midLine.onChange?.(false);
    expect(cell('midLine')).toBe(0);
    for (const listener of process.listeners('exit').slice(-1)) listener(0);
    expect(cell('ending')).toBe(1);
  });

  it('a probe that the thread answered counts as asked for here, once', () => {
    set.length = 0;
    watching();
    let probes = 0;
    const probed = () => void (probes += 1);
    loop.probed.add(probed);
    set[0]?.run();
    expect(probes).toBe(0);
    Atomics.store(thread().data.cells, cells.probed, 1);
    set[0]?.run();
    set[0]?.run();
    loop.probed.delete(probed);
    expect(probes).toBe(1);
  });

  it('what standard output has not written yet is half a line', () => {
    let length = () => 5;
    Object.defineProperty(process.stdout, 'writableLength', { configurable: true, get: () => length() });
    onTestFinished(() => void Reflect.deleteProperty(process.stdout, 'writableLength'));
    watching();
    expect(thread().cell('midLine')).toBe(1);
    length = () => {
      throw new Error('closed');
    };
    watched.state?.();
    expect(thread().cell('midLine')).toBe(0);
  });

  it('a thread that ends, and a listener that throws, are in the log', () => {
    const { health, records } = watching();
    health.on('loopBlocked', () => {
      throw new Error('mine');
    });
    thread().emit('exit', 1);
    thread().tells({ kind: 'blocked', block: block(), written: true });
    expect(records).toMatchObject([
      { level: 40, fields: { code: 'LIFESIGN_WATCHDOG_THREAD' } },
      { level: 40, msg: expect.stringContaining('loopBlocked') },
    ]);
  });

  it('what was said before it came, or between two of them, holds', () => {
    const { health } = makeHealth();
    open.push(watchLoop(health, { port: 0 }));
    health.close();
    engineOf(health).leave(true);
    open.push(watchLoop(health, { port: 0 }));
    expect(thread().cell('refusing')).toBe(1);
    expect(Thread.started).toHaveLength(2);
  });

  it('closed, it leaves nothing', () => {
    const listeners = process.listenerCount('exit');
    const { health, watchdog } = watching();
    expect(watched.state?.()).toEqual({ inspected: false });
    expect(process.listenerCount('exit')).toBe(listeners + 1);
    watchdog.close();
    watchdog.close();
    health.close();
    expect([thread().terminated, watched.state, midLine.onChange]).toEqual([true, undefined, undefined]);
    expect(process.listenerCount('exit')).toBe(listeners);
    expect(Thread.started).toHaveLength(1);
  });

  it('says where it answers, or why it cannot', () => {
    const { records } = watching();
    thread().tells({ kind: 'listening', port: 8001 });
    thread().tells({ kind: 'refused', reason: 'EADDRINUSE' });
    expect(records.map(({ level, msg }) => [level, msg?.slice(0, 60)])).toEqual([
      [20, 'The watchdog is listening on 127.0.0.1:8001'],
      [40, 'The watchdog cannot listen on 127.0.0.1:8001 (EADDRINUSE). I'],
    ]);
    expect(records[1]?.fields).toEqual({ code: 'LIFESIGN_WATCHDOG_PORT' });
  });

  it('a block is a signal at its start and at its end, and is counted', () => {
    const { health, records } = watching();
    const heard: unknown[] = [];
    health.on('loopBlocked', ({ blockedFor }) => heard.push(['blocked', blockedFor]));
    health.on('loopFreed', ({ blockedFor }) => heard.push(['freed', blockedFor]));
    const { blocks, blockedFor } = loop;
    thread().tells({ kind: 'blocked', block: block(), written: false });
    thread().tells({ kind: 'freed', block: block({ blockedFor: 3000 }) });
    expect(heard).toEqual([
      ['blocked', 1200],
      ['freed', 3000],
    ]);
    expect([loop.blocks - blocks, loop.blockedFor - blockedFor]).toEqual([1, 3000]);
    expect(loop.last?.blockedFor).toBe(3000);
    expect(records.map(({ msg }) => msg)).toEqual([
      'The event loop has been blocked for 1200 ms in parse (report.js:12)',
      'The event loop is free again; it was blocked for 3000 ms in parse (report.js:12)',
    ]);
  });

  it('what the thread has written is not logged again, and its stack neither', () => {
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    watching({}, stdoutLogger({ format: 'json' }));
    thread().tells({ kind: 'blocked', block: block(), written: true });
    expect(log).not.toHaveBeenCalled();
    thread().tells({ kind: 'freed', block: block() });
    expect(JSON.parse(String(log.mock.calls[0]?.[0]))).toMatchObject({ Type: 'health.loop', Severity: 6 });
    expect(String(log.mock.calls[0]?.[0])).not.toContain('app.js:3');
    thread().tells({ kind: 'freed', block: block({ stack: 'another (x.js:1)' }) });
    expect(String(log.mock.calls[1]?.[0])).toContain('another (x.js:1)');
  });

  it('to a logger of the application a block that the thread wrote is told with its stack at the end', () => {
    const { records } = watching();
    thread().tells({ kind: 'blocked', block: block(), written: true });
    thread().tells({ kind: 'freed', block: block() });
    expect(records).toHaveLength(1);
    expect(records[0]?.fields).toHaveProperty('stack');
  });

  it('a block without a culprit that was mostly garbage collection says so', () => {
    const since = vi.spyOn(Collections.prototype, 'since').mockReturnValue(700);
    const { records } = watching();
    const unknown = { culprit: undefined, stack: undefined, noStack: 'it was over' };
    thread().tells({ kind: 'freed', block: block(unknown) });
    since.mockReturnValue(600);
    thread().tells({ kind: 'freed', block: block(unknown) });
    expect(records.map(({ msg }) => msg)).toEqual([
      'The event loop is free again; it was blocked for 1200 ms in garbage collection (700 ms)',
      'The event loop is free again; it was blocked for 1200 ms (it was over)',
    ]);
  });

  it('the request that started it does not go on in its beat', () => {
    const context = new RequestContext({ givenId: 'r1' });
    runInRequest(context, () => watching());
    expect(Thread.started).toHaveLength(1);
  });
});

describe('the thread', () => {
  it('is started again three times, each time later, and says so', () => {
    const errors: string[] = [];
    const handle = new ThreadHandle(
      {} as ThreadData,
      () => {},
      (error) => void errors.push(error.message),
    );
    open.push(handle);
    const waits: number[] = [];
    for (let ends = 0; ends < 4; ends += 1) {
      set.length = 0;
      thread().emit('error', new Error('out of memory'));
      thread().emit('exit', 1);
      for (const { run, ms } of set.splice(0)) {
        waits.push(ms);
        run();
      }
    }
    expect(waits).toEqual([1000, 5000, 25_000]);
    expect(Thread.started).toHaveLength(4);
    expect(errors.map((text) => /\(out of memory\)|\(Error: out of memory\)/.test(text))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(errors.map((text) => /It will .*?\./.exec(text)?.[0])).toEqual([
      'It will be restarted in 1 s.',
      'It will be restarted in 5 s.',
      'It will be restarted in 25 s.',
      'It will not be restarted.',
    ]);
  });

  it('that cannot be started is an error and not thrown', () => {
    Thread.refuses = new Error('no threads left');
    const errors: Error[] = [];
    const handle = new ThreadHandle(
      {} as ThreadData,
      () => {},
      (error) => void errors.push(error),
    );
    expect(errors).toMatchObject([{ code: 'LIFESIGN_WATCHDOG_THREAD' }]);
    expect(errors[0]?.message).toContain('no threads left');
    handle.close();
  });

  it("that ends without an error is told by its exit code; closed, its end is nobody's business", () => {
    const errors: string[] = [];
    const handle = new ThreadHandle(
      {} as ThreadData,
      () => {},
      (error) => void errors.push(error.message),
    );
    thread().emit('exit', 7);
    expect(errors[0]).toContain('exit code 7');
    handle.close();
    thread().emit('exit', 7);
    expect(errors).toHaveLength(1);
  });
});

describe('inspectors', () => {
  it('sessions are seen while they are open, and their functions are given back', () => {
    const { connect, disconnect } = inspector.Session.prototype;
    let changes = 0;
    const inspectors = watchInspectors(() => void (changes += 1));
    expect(inspectors.any()).toBe(inspector.url() !== undefined);
    const session = new inspector.Session();
    session.connect();
    expect([inspectors.any(), changes]).toEqual([true, 1]);
    session.disconnect();
    expect([inspectors.any(), changes]).toEqual([inspector.url() !== undefined, 2]);
    inspectors.release();
    expect(inspector.Session.prototype).toMatchObject({ connect, disconnect });
  });

  it('what somebody else has put over ours stays', () => {
    const { connect } = inspector.Session.prototype;
    const inspectors = watchInspectors(() => {});
    const theirs = () => {};
    inspector.Session.prototype.connect = theirs;
    inspectors.release();
    expect(inspector.Session.prototype.connect).toBe(theirs);
    inspector.Session.prototype.connect = connect;
  });

  it.each([
    ['--cpu-prof', true],
    ['--heap-prof', true],
    ['--cpu-prof-dir=/tmp', false],
  ])('NODE_OPTIONS with %s: %s', (flag, any) => {
    vi.stubEnv('NODE_OPTIONS', `--no-warnings ${flag}`);
    const inspectors = watchInspectors(() => {});
    expect(inspectors.any()).toBe(any);
    inspectors.release();
  });

  it('a runtime that has half of them is left as it is', () => {
    const { prototype } = inspector.Session;
    const { connect } = prototype;
    onTestFinished(() => void (prototype.connect = connect));
    Reflect.deleteProperty(prototype, 'connect');
    const inspectors = watchInspectors(() => {});
    expect('connect' in prototype).toBe(false);
    inspectors.release();
    expect('connect' in prototype).toBe(false);
  });

  it('a runtime without them has none', () => {
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
      throw new Error('not here');
    });
    const inspectors = watchInspectors(() => {});
    expect(inspectors.any()).toBe(false);
    inspectors.release();
  });
});

describe('the request under way', () => {
  it.each<[object, object]>([
    [
      { method: 'GET', url: '/a?token=1' },
      { method: 'GET', path: '/a' },
    ],
    [
      { method: 'GET', url: '/x', originalUrl: '/app/x' },
      { method: 'GET', path: '/app/x' },
    ],
    [{ request: { req: {}, method: 'PUT', url: '/koa' } }, { method: 'PUT', path: '/koa' }],
    [{ raw: { method: 'GET', url: '/fastify#x' } }, { method: 'GET', path: '/fastify' }],
    [{ req: { raw: 1, method: 'GET', path: '/hono' } }, { method: 'GET', path: '/hono' }],
    [{ request: { request: { method: 'GET', url: '/adonis' } } }, { method: 'GET', path: '/adonis' }],
    [new Request('https://example.org?q'), { method: 'GET', path: '/' }],
    [
      { method: 'GET', url: '?q' },
      { method: 'GET', path: '/' },
    ],
    [{ method: 5 }, {}],
    [
      Object.defineProperty({}, 'method', {
        get: () => {
          throw new Error('no');
        },
      }),
      {},
    ],
  ])('%#: of whatever framework', (request, known) => {
    const context = new RequestContext({ givenId: 'r1' });
    context.note(request);
    expect(runInRequest(context, requestUnderWay)).toEqual({ rid: 'r1', ...known });
  });

  it('outside of one there is nothing to know', () => {
    expect(requestUnderWay()).toEqual({});
  });
});

it('records have what is known, and no more', () => {
  const bare = { culprit: undefined, stack: undefined, rid: undefined, method: undefined, path: undefined };
  expect(blockedRecord(block(bare), 5)).toEqual({
    logger: 'health.loop',
    level: 30,
    time: 5,
    fields: { blockedFor: 1200 },
    msg: 'The event loop has been blocked for 1200 ms',
  });
  expect(freedRecord(block({ noStack: 'too short' }), 5, true).fields).toEqual({
    blockedFor: 1200,
    culprit: 'parse (report.js:12)',
    rid: 'r1',
    method: 'GET',
    path: '/report',
    stack: 'parse (report.js:12)\nmain (app.js:3)',
    noStack: 'too short',
  });
  expect(freedRecord(block(), 5, false).fields).not.toHaveProperty('stack');
});

describe('the option', () => {
  const watchdog = { port: 0, busyAfter: 1000, stuckAfter: 60_000, terminationLog: false } as const;
  const engine = (options = {}) => {
    const records: LogRecord[] = [];
    const closed: (() => void)[] = [];
    return {
      records,
      close: () => closed.forEach((end) => end()),
      options: { watchdog, ...options },
      log: (record: LogRecord) => void records.push(record),
      onClose: (end: () => void) => void closed.push(end),
    };
  };

  it('starts it with the Health, once its code is there', async () => {
    const started: unknown[] = [];
    const health = {};
    const load = async () => ({ watchLoop: (...given: unknown[]) => started.push(given) });
    startWatchdog(health, engine({ watchdog: undefined }), load);
    startWatchdog(health, engine(), load);
    await turn();
    expect(started).toEqual([[health, watchdog]]);
  });

  /** A file of the built package, beside the room that it loads. */
  function built(room: string): string {
    const root = mkdtempSync(join(tmpdir(), 'lifesign-watchdog-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'dist/watchdog'), { recursive: true });
    writeFileSync(join(root, 'dist/watchdog/index.js'), room);
    return pathToFileURL(join(root, 'dist/chunks/profile.js')).href;
  }

  it('in the built package starts it in the very first turn; elsewhere, and in half a bundle, once its code is there', async () => {
    const started: unknown[] = [];
    const load = async () => ({ watchLoop: () => started.push('later') });
    const health: unknown[] = [];
    startWatchdog(health, engine(), load, built('exports.watchLoop = (health) => health.push("now");'));
    expect(health).toEqual(['now']);
    const failing = engine();
    startWatchdog(health, failing, load, built('exports.watchLoop = () => { throw new Error("no port"); };'));
    expect(failing.records).toMatchObject([{ level: 40, msg: expect.stringContaining('no port') }]);
    await turn();
    expect(started).toEqual([]);
    startWatchdog(health, engine(), load, built('exports.somethingElse = 1;'));
    const other = built('exports.watchLoop = (health) => health.push("of another package");');
    startWatchdog(health, engine(), load, other.replace('profile.js', 'app.js'));
    await turn();
    expect([started, health]).toEqual([['later', 'later'], ['now']]);
  });

  it('not where the Health is closed before', async () => {
    const started: unknown[] = [];
    const closing = engine();
    startWatchdog({}, closing, async () => ({ watchLoop: () => started.push(1) }));
    closing.close();
    await turn();
    expect(started).toEqual([]);
  });

  it('what goes wrong is logged, by its code', async () => {
    const { watchdog: running } = watching();
    const host = engine();
    startWatchdog(makeHealth().health, host, async () => ({ watchLoop }));
    startWatchdog({}, host, () => Promise.reject(new Error('no such file')));
    await turn();
    running.close();
    expect(host.records.map(({ level, fields }) => [level, fields])).toEqual(
      expect.arrayContaining([
        [40, { code: 'LIFESIGN_WATCHDOG_TWICE' }],
        [40, {}],
      ]),
    );
    expect(host.records.every(({ msg }) => msg?.startsWith('The watchdog is not running: '))).toBe(true);
  });

  it('is refused where there are no threads', () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    expect(() => startWatchdog(makeHealth().health, engine(), async () => ({ watchLoop }))).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_WATCHDOG_RUNTIME' }),
    );
  });
});
