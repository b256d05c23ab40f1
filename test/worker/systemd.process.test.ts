import { fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pause, until } from '../core/waiting.js';
import { directory } from './make-worker.js';
import { canNotify } from './tools.js';

/** What comes to a socket of the test's own. */
async function startManager(name: string): Promise<() => readonly string[]> {
  const manager = spawn('python3', [join(import.meta.dirname, 'manager.py'), name]);
  onTestFinished(() => void manager.kill('SIGKILL'));
  let output = '';
  manager.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const lines = () => output.split('\n').filter((line) => line !== '' && line !== 'BARRIER=1');
  await until(() => lines()[0] === 'listening');
  return () => lines().slice(1);
}

function startWorker(env: Readonly<Record<string, string>>) {
  const worker = fork(join(import.meta.dirname, 'notify-app.ts'), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  let output = '';
  worker.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => worker.once('close', (code) => resolve(code)));
  return { worker, ended, output: () => output };
}

const usec = '400000';

describe.skipIf(!canNotify())('a service manager at NOTIFY_SOCKET', () => {
  test('hears READY, WATCHDOG while all is well, none while it is not, STOPPING', async () => {
    const socket = join(directory(), 'notify.sock');
    const heard = await startManager(socket);
    const { worker, ended } = startWorker({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec });
    const beats = () => heard().filter((line) => line === 'WATCHDOG=1').length;
    await until(() => heard().includes('READY=1') && beats() > 2);
    worker.send('ill');
    // Until no more come: those of before may be on their way.
    let last = -1;
    await until(async () => {
      const before = last;
      last = beats();
      await pause(1000);
      return before === last;
    });
    worker.send('well');
    await until(() => beats() > last + 1);
    worker.kill('SIGTERM');
    expect(await ended).toBe(0);
    await until(() => heard().includes('STOPPING=1'));
    expect(
      heard()
        .filter((line) => line !== 'WATCHDOG=1')
        .toSorted(),
    ).toEqual(['READY=1', 'STOPPING=1']);
  });

  test('has an abstract name, and waits for started() where the probes do', async () => {
    const name = `@lifesign-${process.pid}-${Date.now()}`;
    const heard = await startManager(name);
    const { worker, ended, output } = startWorker({
      NOTIFY_SOCKET: name,
      START_WHEN: 'called',
      // Of another process: no watchdog.
      WATCHDOG_USEC: usec,
      WATCHDOG_PID: '1',
    });
    await until(() => output().includes('Serving the health endpoints'));
    await pause(500);
    expect(heard()).toEqual([]);
    worker.send('started');
    await until(() => heard().length > 0);
    worker.kill('SIGTERM');
    expect(await ended).toBe(0);
    await until(() => heard().length > 1);
    expect(heard()).toEqual(['READY=1', 'STOPPING=1']);
  });
});

test.each([
  ['is none', { NOTIFY_SOCKET: 'nonsense' }, 'neither a path nor @ followed by a name'],
  [
    'cannot be told without systemd-notify',
    { NOTIFY_SOCKET: '/run/none', PATH: '/nowhere' },
    'systemd-notify command was not found',
  ],
])('a NOTIFY_SOCKET that %s is told once, and the worker goes on', async (_what, env, text) => {
  const { worker, ended, output } = startWorker(env);
  await until(() => output().includes('LIFESIGN_NOTIFY'));
  await until(() => output().includes('Serving the health endpoints'));
  worker.kill('SIGTERM');
  expect(await ended).toBe(0);
  const told = output()
    .split('\n')
    .filter((line) => line.includes('LIFESIGN_NOTIFY'));
  expect(told).toEqual([expect.stringContaining(text)]);
});
