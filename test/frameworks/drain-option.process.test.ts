// The option `drain` in real processes: a request in progress at SIGTERM is answered.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { compiled } from '../compiled/index.js';
import { until } from '../core/waiting.js';
import { chosen } from '../whole.js';

const app = compiled(new URL('drain-option-app.ts', import.meta.url));

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [app, ...args], {
    env: { ...process.env, NODE_ENV: 'production', HEALTH_DRAIN_DELAY: '300ms', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (output += piece.toString()));
  const exited: Promise<unknown> = once(child, 'close').then(([code, signal]) => code ?? signal);
  const portOf = () => /^port (\d+)$/m.exec(output)?.[1];
  await until(() => portOf() !== undefined);
  return { child, exited, output: () => output, origin: `http://127.0.0.1:${portOf()}` };
}

/** Sends SIGTERM while the first request is in progress; how that and the process end. */
async function interrupted(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { child, exited, output, origin } = await start(args, env);
  const slow = fetch(`${origin}/slow`).then(async (answer) => [answer.status, await answer.text()], String);
  await until(() => output().includes('slow'));
  child.kill('SIGTERM');
  return { answer: await slow, exit: await exited, output: output() };
}

const frameworks = ['express', 'express on a server', 'fastify', 'koa', 'hono', 'fetch', 'node'];

test.each(chosen(frameworks, 'express', 'fastify', 'hono', 'node'))(
  '%s: the request in progress is answered, and the process exits with 0',
  async (framework) => {
    const { answer, exit, output } = await interrupted([framework]);
    expect([answer, exit]).toEqual([[200, 'whole'], 0]);
    expect(output).toContain('Draining (SIGTERM): the server closes in 300 ms');
    expect(output).toContain('Drained: the process ends with 0');
    if (framework === 'fastify') expect(output).toContain('onClose');
  },
);

test.each(chosen(frameworks, 'fastify', 'fetch'))(
  '%s: handlers of the application run after it, and end the process',
  async (framework) => {
    const { answer, exit } = await interrupted([framework, 'exits']);
    expect([answer, exit]).toEqual([[200, 'whole'], 5]);
  },
);

test('a drain that was not complete exits with 1', async () => {
  const { answer, exit } = await interrupted(['express'], {
    HEALTH_DRAIN_TIMEOUT: '50ms',
    HEALTH_DRAIN_DELAY: '0',
  });
  expect([answer, exit]).toEqual(['TypeError: fetch failed', 1]);
});

test('a second signal ends the process at once', async () => {
  const { child, exited, output } = await start(['node'], { HEALTH_DRAIN_DELAY: '60000ms' });
  child.kill('SIGTERM');
  await until(() => output().includes('Draining'));
  child.kill('SIGTERM');
  expect(await exited).toBe('SIGTERM');
});

test('drainOnSignals takes the server over', async () => {
  const { answer, exit, output } = await interrupted(['node, by a call']);
  expect([answer, exit]).toEqual([[200, 'whole'], 0]);
  expect(output).toContain('hook');
});

test('without it a signal is the same as without lifesign, also for a server that only its requests show', async () => {
  const { answer, exit } = await interrupted(['hono'], { HEALTH_DRAIN: 'false', OPTION: 'none' });
  expect([answer, exit]).toEqual(['TypeError: fetch failed', 'SIGTERM']);
});
