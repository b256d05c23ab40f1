import { fork, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checks, drainOnSignals, type HealthOptions } from 'lifesign/worker';
import { pause, until } from '../core/waiting.js';
import { listening } from '../http/serving.js';
import { directory, makeWorker } from './make-worker.js';
import { canNotify } from './tools.js';
import { compiled } from '../compiled/index.js';

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
  const worker = fork(compiled(new URL('notify-app.ts', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => worker.once('close', (code) => resolve(code)));
  return { worker, ended };
}

/** A worker of this process, which is not ended. */
function worker(env: Readonly<Record<string, string>>, options: HealthOptions = {}) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const made = makeWorker(options);
  return { ...made, drain: drainOnSignals(made.health, { signals: [], exit: () => {} }) };
}

afterEach(() => void vi.unstubAllEnvs());

const usec = '400000';

describe.skipIf(!canNotify())('a service manager at NOTIFY_SOCKET', () => {
  test('hears READY, WATCHDOG while all is well, none while it is not, STOPPING', async () => {
    const socket = join(directory(), 'notify.sock');
    const heard = await startManager(socket);
    const { worker: child, ended } = startWorker({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec });
    const beats = () => heard().filter((line) => line === 'WATCHDOG=1').length;
    await until(() => heard().includes('READY=1') && beats() > 2);
    child.send('ill');
    // Until no more come: those of before may be on their way.
    let last = -1;
    await until(async () => {
      const before = last;
      last = beats();
      await pause(400);
      return before === last;
    });
    child.send('well');
    await until(() => beats() > last + 1);
    child.kill('SIGTERM');
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
    // The watchdog is of another process.
    const { health, drain } = worker(
      { NOTIFY_SOCKET: name, WATCHDOG_USEC: usec, WATCHDOG_PID: '1' },
      { probes: { startWhen: 'called', restartAfter: 1 } },
    );
    await health.listening();
    await pause(500);
    expect(heard()).toEqual([]);
    health.started();
    await until(() => heard().length > 0);
    expect(await drain.start()).toBe(0);
    await until(() => heard().length > 1);
    expect(heard()).toEqual(['READY=1', 'STOPPING=1']);
  });

  test('waits for the checks where the probes do, which then run no longer for it', async () => {
    const socket = join(directory(), 'notify.sock');
    const heard = await startManager(socket);
    const { health } = worker(
      { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '0' },
      { probes: { startWhen: 'checks' } },
    );
    let well = false;
    let runs = 0;
    health.check(
      'migrated',
      () => ((runs += 1), well ? [] : [new checks.Error('not yet', { id: 'test.E001' })]),
    );
    await until(() => runs > 1);
    expect(heard()).toEqual([]);
    well = true;
    await until(() => heard().length > 0);
    const then = runs;
    await pause(1500);
    expect([heard(), runs]).toEqual([['READY=1'], then]);
  });

  test('hears of the watchdog of this process as WATCHDOG_PID names it, and of nothing that cannot be served', async () => {
    const socket = join(directory(), 'notify.sock');
    const heard = await startManager(socket);
    const { port } = new URL(await listening(createServer()));
    const { health } = worker(
      { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000', WATCHDOG_PID: String(process.pid) },
      { port: Number(port), probes: { startWhen: 'checks' } },
    );
    await expect(health.listening()).rejects.toThrow('EADDRINUSE');
    await until(() => heard().length > 2);
    expect(new Set(heard())).toEqual(new Set(['WATCHDOG=1']));
  });
});

/** A directory with a systemd-notify that fails. */
function failingCommand(): string {
  const path = directory();
  writeFileSync(join(path, 'systemd-notify'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  return path;
}

test.each<[string, () => Readonly<Record<string, string>>, string]>([
  ['is none', () => ({ NOTIFY_SOCKET: 'nonsense' }), 'neither a path nor @ followed by a name'],
  [
    'cannot be told without systemd-notify',
    () => ({ NOTIFY_SOCKET: '/run/none', PATH: '/nowhere' }),
    'systemd-notify command was not found',
  ],
  [
    'cannot be told by a systemd-notify that says nothing',
    () => ({ NOTIFY_SOCKET: '/run/none', PATH: failingCommand() }),
    'cannot be notified (Command failed: systemd-notify READY=1',
  ],
  ...(canNotify()
    ? [
        [
          'nobody listens on',
          () => ({ NOTIFY_SOCKET: '/run/none' }),
          'No such file or directory). See docs/workers.md',
        ] as [string, () => Readonly<Record<string, string>>, string],
      ]
    : []),
])('a NOTIFY_SOCKET that %s is told once, and the worker goes on', async (_what, env, text) => {
  const { health, drain, records, messages } = worker(env());
  const told = () => records.filter(({ fields }) => fields['code'] === 'LIFESIGN_NOTIFY');
  const { port } = await health.listening();
  await until(() => told().length > 0);
  expect((await fetch(`http://127.0.0.1:${port}/__lbheartbeat__`)).status).toBe(200);
  // STOPPING cannot be told either.
  expect(await drain.start()).toBe(0);
  await pause(100);
  expect(told()).toEqual([expect.objectContaining({ level: 40, msg: expect.stringContaining(text) })]);
  expect(messages()).toContain('Drained: the process ends with 0');
});
