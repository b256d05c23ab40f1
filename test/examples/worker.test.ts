import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../core/waiting.js';
import { freePort } from '../services/port.js';
import { root } from './snippets.js';

test('the scheduler is well while its runs are in time, fails when one hangs, and ends after SIGTERM', async () => {
  const port = await freePort();
  const child = spawn(process.execPath, ['examples/worker/scheduler.mjs'], {
    cwd: root,
    env: { ...process.env, PORT: String(port), EVERY: '400', HEALTH_DRAIN_TIMEOUT: '300ms' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ask = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: reply.status, body: await reply.json() };
  };
  const jobs = () =>
    output
      .split('\n')
      .filter((line) => line.includes('"job.summary"'))
      .map((line) => JSON.parse(line).Fields);
  await until(() => jobs().length > 1);
  expect(jobs()[0]).toMatchObject({ name: 'clean-up', id: '1', attempt: 1, errno: 0, rid: '1' });
  // On a busy machine a run may be late for once.
  await until(async () => (await ask('/__heartbeat__')).status === 200);
  expect(await ask('/livez')).toMatchObject({ status: 200 });
  child.kill('SIGUSR2');
  await until(async () => (await ask('/__heartbeat__')).status === 500);
  expect(await ask('/__heartbeat__')).toMatchObject({ body: { checks: { 'clean-up': 'error' } } });
  const before = jobs().length;
  child.kill('SIGTERM');
  // The run that hangs is told to end, and says that it is not done: nothing was cut.
  expect(await ended).toBe(0);
  expect(jobs().slice(before)).toMatchObject([{ errno: 500, msg: 'not done: the process ends' }]);
});
