import { afterEach, describe, expect, it } from 'vitest';
import { pause, until } from '../core/waiting.js';
import { type App, startApp } from './app.js';
import { startLoad } from './load.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** An application that ends with the test. */
async function start(...options: Parameters<typeof startApp>): Promise<App> {
  const app = await startApp(...options);
  ends.push(() => app.signal('SIGKILL'));
  return app;
}

const statusOf = async (url: string) => (await fetch(url)).status;

describe('a process that gets SIGTERM', { timeout: 60_000 }, () => {
  it('goes on answering for the delay, /__lbheartbeat__ with 200, then exits with 0', async () => {
    const app = await start({ delay: 1500 }, 'say');
    app.signal('SIGTERM');
    await until(() => app.lines().length > 0);
    expect(app.lines()[0]).toBe('Draining (SIGTERM): the server closes in 1500 ms');
    const answer = await fetch(`${app.origin}/__lbheartbeat__`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await statusOf(`${app.origin}/`)).toBe(200);
    expect(await app.exited()).toEqual({ code: 0, signal: null });
    expect(app.lines().slice(1)).toEqual(['hook', 'Drained: the process ends with 0']);
  });

  it('fails /__lbheartbeat__ where it is asked to, and nothing else', async () => {
    const app = await start({ delay: 1500, failLbheartbeat: true });
    expect(await statusOf(`${app.origin}/__lbheartbeat__`)).toBe(200);
    app.signal('SIGTERM');
    await until(() => app.lines().length > 0);
    const answer = await fetch(`${app.origin}/__lbheartbeat__`);
    expect([answer.status, await answer.text()]).toEqual([503, '{"status":"draining"}']);
    expect(await statusOf(`${app.origin}/__heartbeat__`)).toBe(200);
    expect(await statusOf(`${app.origin}/`)).toBe(200);
    expect((await app.exited()).code).toBe(0);
  });

  it('waits for a request that is under way, and runs the hooks after it', async () => {
    const app = await start({ delay: 0 }, 'say');
    const answer = fetch(`${app.origin}/?wait=800`).then((response) => response.text());
    await pause(300);
    app.signal('SIGTERM');
    expect(await answer).toBe('done');
    expect((await app.exited()).code).toBe(0);
    expect(app.lines()).toContain('hook');
  });

  it('cuts what takes too long, says so and exits with 1', async () => {
    const app = await start({ delay: 0, timeout: 200 }, 'say');
    const answer = fetch(`${app.origin}/?wait=60000`).catch(() => 'cut');
    await pause(300);
    app.signal('SIGTERM');
    expect(await answer).toBe('cut');
    expect((await app.exited()).code).toBe(1);
    expect(app.lines().slice(1)).toEqual([
      'Requests were cut off: they took longer than 200 ms',
      'hook',
      'Drained: the process ends with 1',
    ]);
  });

  it('a hook that fails or hangs does not keep the others from running, and the code is 1', async () => {
    const app = await start({ delay: 0, shutdownTimeout: 200 }, 'fail,hang,say');
    app.signal('SIGTERM');
    expect((await app.exited()).code).toBe(1);
    expect(app.lines().slice(1)).toEqual([
      'onShutdown fail threw Error: hook failed',
      'onShutdown hang did not finish within 200 ms',
      'hook',
      'Drained: the process ends with 1',
    ]);
  });

  it('exits at once on a second signal, with the code of that signal', async () => {
    const app = await start({ delay: 600_000 });
    app.signal('SIGTERM');
    await until(() => app.lines().length > 0);
    app.signal('SIGTERM');
    expect(await app.exited()).toEqual({ code: 143, signal: null });
  });

  it('SIGINT drains too, as PM2 asks for it, unless it is left to Node', async () => {
    const app = await start({ delay: 0 });
    app.signal('SIGINT');
    expect(await app.exited()).toEqual({ code: 0, signal: null });
    const leaving = await start({ delay: 0, signals: ['SIGTERM'] });
    leaving.signal('SIGINT');
    expect(await leaving.exited()).toEqual({ code: null, signal: 'SIGINT' });
  });

  it.each([
    ['development', 'Draining (SIGTERM): the server closes in 0 ms (NODE_ENV is development)'],
    ['production', 'Draining (SIGTERM): the server closes in 5000 ms'],
    ['', 'Draining (SIGTERM): the server closes in 5000 ms'],
  ])('NODE_ENV=%s decides on the delay that nobody asked for', async (NODE_ENV, line) => {
    const app = await start({}, '', 0, { env: { NODE_ENV } });
    app.signal('SIGTERM');
    await until(() => app.lines().length > 0);
    expect(app.lines()[0]).toBe(line);
  });

  it('keep-alive clients lose no request: each is told to go elsewhere before its connection ends', async () => {
    const app = await start({ delay: 1000 });
    const other = await start();
    const load = startLoad([app.origin, other.origin], 40, '/?wait=2');
    await until(() => load.answered() > 500);
    app.signal('SIGTERM');
    expect((await app.exited()).code).toBe(0);
    await load.stop();
    expect(load.failures).toEqual([]);
  });
});
