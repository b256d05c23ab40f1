import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { DrainOptions } from '../../src/frameworks/drain.js';
import { pause, until } from '../core/waiting.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** An application that drains as a process of its own. */
async function startApp(options: DrainOptions = {}, hooks = '') {
  const file = fileURLToPath(new URL('drain-app.ts', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', 'tsx', file, JSON.stringify(options), hooks],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  ends.push(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('\n'));
  return {
    origin: `http://127.0.0.1:${output.split('\n', 1)[0]}`,
    signal: (name: NodeJS.Signals) => child.kill(name),
    lines: () => output.trim().split('\n').slice(1),
    exited: async () => {
      const [code, signal]: (number | string | null)[] = await exited;
      return { code, signal };
    },
  };
}

const statusOf = async (url: string) => (await fetch(url)).status;

describe('a process that gets SIGTERM', { timeout: 60_000 }, () => {
  it('goes on answering for the delay, /__lbheartbeat__ with 200, then exits with 0', async () => {
    const app = await startApp({ drainDelay: 1500 }, 'say');
    app.signal('SIGTERM');
    await until(() => app.lines().length > 0);
    expect(app.lines()[0]).toBe('Draining (SIGTERM): 1500 ms until the server closes');
    const answer = await fetch(`${app.origin}/__lbheartbeat__`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await statusOf(`${app.origin}/`)).toBe(200);
    expect(await app.exited()).toEqual({ code: 0, signal: null });
    expect(app.lines().slice(1)).toEqual(['hook', 'Drained: the process ends with 0']);
  });

  it('fails /__lbheartbeat__ only where the option asks for it, and nothing else', async () => {
    const app = await startApp({ drainDelay: 1500, failLbheartbeat: true });
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
    const app = await startApp({ drainDelay: 0 }, 'say');
    const answer = fetch(`${app.origin}/?wait=800`).then((response) => response.text());
    await pause(300);
    app.signal('SIGTERM');
    expect(await answer).toBe('done');
    expect((await app.exited()).code).toBe(0);
    expect(app.lines()).toContain('hook');
  });

  it('cuts what takes too long, says so and exits with 1', async () => {
    const app = await startApp({ drainDelay: 0, drainTimeout: 200 }, 'say');
    const answer = fetch(`${app.origin}/?wait=60000`).catch(() => 'cut');
    await pause(300);
    app.signal('SIGTERM');
    expect(await answer).toBe('cut');
    expect((await app.exited()).code).toBe(1);
    expect(app.lines().slice(1)).toEqual([
      'Requests were cut: they took longer than 200 ms to end',
      'hook',
      'Drained: the process ends with 1',
    ]);
  });

  it('a hook that fails or hangs does not keep the others from running, and the code is 1', async () => {
    const app = await startApp({ drainDelay: 0, shutdownTimeout: 200 }, 'fail,hang,say');
    app.signal('SIGTERM');
    expect((await app.exited()).code).toBe(1);
    expect(app.lines().slice(1)).toEqual([
      'onShutdown fail threw Error: hook failed',
      'onShutdown hang was not done within 200 ms',
      'hook',
      'Drained: the process ends with 1',
    ]);
  });

  it('exits at once on a second signal, with the code of that signal', async () => {
    const app = await startApp({ drainDelay: 600_000 });
    app.signal('SIGTERM');
    await until(() => app.lines().length > 0);
    app.signal('SIGTERM');
    expect(await app.exited()).toEqual({ code: 143, signal: null });
  });

  it('SIGINT is left to Node unless it is asked for', async () => {
    const app = await startApp({ drainDelay: 0 });
    app.signal('SIGINT');
    expect(await app.exited()).toEqual({ code: null, signal: 'SIGINT' });
    const asking = await startApp({ drainDelay: 0, signals: ['SIGINT'] });
    asking.signal('SIGINT');
    expect(await asking.exited()).toEqual({ code: 0, signal: null });
  });
});
