import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pause, until } from '../core/waiting.js';
import { chosen } from '../whole.js';
import { ask, gate, launch, start, watchdogOf } from './start.js';

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const attached = 'an inspector, debugger or profiler is attached, no stack';

describe('another inspector', { timeout: 60_000 }, () => {
  const inspectors: readonly [string, readonly string[], string | undefined][] = [
    ['--inspect', ['--inspect=127.0.0.1:0'], undefined],
    ['inspector.open()', [], '/open-inspector'],
    ['--cpu-prof', ['--cpu-prof', '--cpu-prof-dir=/tmp'], undefined],
  ];
  it.each(chosen(inspectors, '--inspect', '--cpu-prof'))(
    '%s: no stack, the line says so',
    async (_name, execArgv, path) => {
      const { path: file, open } = gate();
      const app = await start({ watchdog: { port: 0, busyAfter: 200, stuckAfter: 400 } }, { execArgv });
      const watchdog = await watchdogOf(app);
      if (path !== undefined) await app.get(path);
      app.send(`/until?file=${file}`);
      await until(async () => (await ask(watchdog)).state === 'stuck');
      await until(() => app.loopLines().length > 0);
      expect(app.loopLines()[0]?.Fields).toMatchObject({ noStack: attached });
      expect(app.loopLines()[0]?.Fields).not.toHaveProperty('stack');
      open();
      await until(async () => (await ask(watchdog)).state === 'ok');
    },
  );

  it('a debugger of the application in its own thread keeps no stack from us', async () => {
    const { path: file, open } = gate();
    const app = await start({ watchdog: { port: 0, busyAfter: 200 } });
    await app.get('/session');
    app.send(`/until?file=${file}`);
    await until(() => app.loopLines().length > 0);
    expect(app.loopLines()[0]?.Fields['stack']).toMatch(/^at /);
    open();
    await until(() => app.loopLines().length === 2);
  });
});

describe('a process with a watchdog ends as without it', { timeout: 60_000 }, () => {
  it.each<[string, number, RegExp]>([
    ['nothing', 0, /^$/],
    ['throw', 1, /Error: thrown on purpose/],
    ['reject', 1, /Error: rejected on purpose/],
    ['exit', 5, /^$/],
  ])('%s', async (kind, code, stderr) => {
    const app = launch('short.mjs', [kind]);
    expect(await app.exited()).toEqual({ code, signal: null });
    expect(app.stderr()).toMatch(stderr);
    const off = launch('short.mjs', [kind === 'nothing' ? 'off' : kind]);
    await off.exited();
    expect(app.stderr().replaceAll(/\d+/g, '')).toBe(off.stderr().replaceAll(/\d+/g, ''));
  });

  it('exits and throws at the end of a block', async () => {
    for (const [path, code] of [
      ['until-then-exit', 7],
      ['until-then-throw', 1],
    ] as const) {
      const { path: file, open } = gate();
      const app = await start();
      app.send(`/${path}?file=${file}`);
      await until(() => app.loopLines().length === 1);
      open();
      expect(await app.exited()).toEqual({ code, signal: null });
      if (code === 1) expect(app.stderr()).toContain('Error: thrown on purpose');
    }
  });

  it('by SIGTERM and SIGKILL, blocked or not', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const app = await start();
      await watchdogOf(app);
      app.child.kill(signal);
      expect(await app.exited()).toEqual({ code: null, signal });
    }
    const { path } = gate();
    const app = await start();
    app.send(`/until?file=${path}`);
    await until(() => app.loopLines().length === 1);
    app.child.kill('SIGKILL');
    expect(await app.exited()).toEqual({ code: null, signal: 'SIGKILL' });
    // Each line that was written is whole.
    expect(app.lines().length).toBeGreaterThan(0);
  });

  it('starts no thread where it is off, and one where it is on', async () => {
    const execArgv = ['--import', beside('count-threads.mjs')];
    const off = launch('short.mjs', ['off'], { execArgv });
    await off.exited();
    expect(off.stderr()).toBe('THREADS 0\n');
    const on = launch('short.mjs', ['nothing'], { execArgv });
    await on.exited();
    expect(on.stderr()).toBe('THREADS 1\n');
  });
});

describe('the thread', { timeout: 60_000 }, () => {
  it('is started again when it ends, and the application does not notice', async () => {
    const app = await start({}, { execArgv: ['--import', beside('kill-thread.mjs')] });
    await watchdogOf(app);
    app.child.kill('SIGUSR2');
    await until(() => app.said('will be restarted in 1 s') !== undefined);
    expect(app.said('will be restarted')?.Fields).toMatchObject({ code: 'LIFESIGN_WATCHDOG_THREAD' });
    expect(await app.get('/seen')).toBe('[]');
    await until(
      () => app.lines().filter(({ Fields }) => /listening on/.test(String(Fields['msg']))).length === 2,
    );
    const { path, open } = gate();
    app.send(`/until?file=${path}`);
    await until(() => app.loopLines().length === 1);
    open();
    expect(app.loopLines()[0]?.Fields).toHaveProperty('stack');
  });

  it('that runs out of memory, over and over, ends without the process', async () => {
    const { path: HOG, open: hog } = gate();
    const app = await start({}, { execArgv: ['--import', beside('hog.mjs')], env: { HOG } });
    await watchdogOf(app);
    hog();
    await until(() => app.said('It will not be restarted') !== undefined);
    const ends = app.lines().filter(({ Fields }) => Fields['code'] === 'LIFESIGN_WATCHDOG_THREAD');
    // The thread itself, and three more.
    expect(ends).toHaveLength(4);
    for (const { Severity, Fields } of ends) {
      expect(Severity).toBe(3);
      expect(Fields['msg']).toContain('memory limit');
    }
    expect(await app.get('/__lbheartbeat__')).toBe('{"status":"ok"}');
    expect(app.ended()).toBeUndefined();
    app.child.kill('SIGTERM');
    expect(await app.exited()).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('whose port is taken says so, watches all the same and takes the port later', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const app = await start({ watchdog: { port, busyAfter: 300 } });
    await until(() => app.said('cannot listen on') !== undefined);
    expect(app.said('cannot listen on')?.Fields).toMatchObject({
      code: 'LIFESIGN_WATCHDOG_PORT',
      msg: expect.stringContaining(`127.0.0.1:${port} (EADDRINUSE)`),
    });
    const { path, open } = gate();
    app.send(`/until?file=${path}`);
    await until(() => app.loopLines().length === 1);
    open();
    await until(() => app.loopLines().length === 2);
    other.close();
    expect(await watchdogOf(app)).toBe(`http://127.0.0.1:${port}`);
  });

  it('has its own port in each worker of a cluster, or says that it has not', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = free.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    free.close();
    const app = launch('cluster.mjs', [String(port)]);
    await until(() => app.said('does not answer on') !== undefined && app.said('listening on') !== undefined);
    const line = app.said('does not answer on');
    expect(line?.Fields['msg']).toContain('port: 8001 + cluster.worker.id');
    // Nothing is wrong: one worker has the port.
    expect(line?.Severity).toBe(6);
    const own = launch('cluster.mjs', ['0']);
    const addresses = () =>
      new Set(own.lines().flatMap(({ Fields }) => /listening on .*/.exec(String(Fields['msg'])) ?? []));
    await until(() => addresses().size === 2);
  });

  it('is gone after health.close()', async () => {
    const app = await start();
    const watchdog = await watchdogOf(app);
    await app.get('/close');
    await until(() =>
      ask(watchdog).then(
        () => false,
        () => true,
      ),
    );
    expect(app.said('LIFESIGN')).toBeUndefined();
  });
});

describe('what is not a block', { timeout: 60_000 }, () => {
  it('a process that was suspended', async () => {
    const app = await start({ watchdog: { port: 0, busyAfter: 200 } });
    const watchdog = await watchdogOf(app);
    for (let times = 0; times < 3; times += 1) {
      app.child.kill('SIGSTOP');
      await pause(1000);
      app.child.kill('SIGCONT');
      expect((await ask(watchdog)).state).toBe('ok');
      await pause(100);
    }
    expect(app.loopLines()).toEqual([]);
  });
});

describe('draining', { timeout: 60_000 }, () => {
  it('the port says what the application says, blocked or not', async () => {
    const { path, open } = gate();
    const app = await start({ drain: { delay: 3000, failLbheartbeat: true } });
    const watchdog = await watchdogOf(app);
    app.child.kill('SIGTERM');
    await until(async () => (await ask(watchdog)).state === 'draining');
    expect(await ask(watchdog)).toMatchObject({ status: 503 });
    expect(await app.get('/__lbheartbeat__')).toBe('{"status":"draining"}');
    app.send(`/until?file=${path}`);
    await until(() => app.loopLines().length === 1);
    expect(await ask(watchdog)).toMatchObject({ status: 503, state: 'draining' });
    open();
    expect(await app.exited()).toEqual({ code: 0, signal: null });
    expect(app.loopLines()).toHaveLength(2);
  });
});
