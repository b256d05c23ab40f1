import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { pause, until } from '../core/waiting.js';
import { pipelined, request, startPipelining } from '../faults/pipelining.js';
import { freePort } from '../services/port.js';

it.each(['node', 'express', 'koa', 'fastify', 'nest'])(
  '%s: 20,100 pipelined requests whose client resets leave a record each and nothing else',
  async (framework) => {
    const app = await startPipelining(framework, false, ['--max-old-space-size=128']);
    onTestFinished(app.end);
    const { early, late } = await pipelined(app, 20, 80);
    expect(late.wrong).toEqual([]);
    expect(late.records).toBe(late.seen);
    // Some bytes of a reset connection are never read.
    expect(late.seen).toBeGreaterThan(10_000);
    // 80 connections of 201 requests lie between: a kilobyte kept for each would be 16 MB.
    expect(late.heapUsed - early.heapUsed).toBeLessThan(2_500_000);
  },
);

it('lifesign-cli serve with a heap of 64 MB survives 1500 connections of 501 pipelined requests', async () => {
  const bin = fileURLToPath(new URL('../../dist/cli/bin.cjs', import.meta.url));
  const port = await freePort();
  const child = spawn(process.execPath, [bin, 'serve', '--host', '127.0.0.1', '--port', String(port)], {
    env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=64' },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const origin = `http://127.0.0.1:${port}`;
  const up = () =>
    fetch(`${origin}/__lbheartbeat__`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(up);
  const bytes = request('GET', '/__heartbeat__') + request('GET', '/__lbheartbeat__').repeat(500);
  for (let n = 0; n < 1500 && child.exitCode === null; n += 1) {
    await new Promise((closed) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => socket.resetAndDestroy()));
      socket.on('error', () => {}).once('close', closed);
    });
  }
  await pause(1000);
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  expect(await up()).toBe(true);
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
  expect(resident).toBeLessThan(200_000);
});
