import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { lifesign } from '../../test/command/run.js';
import { serving } from './serving.js';

let cwd: string;
const sockets = new Set<Socket>();
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-limits-'));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  rmSync(cwd, { recursive: true, force: true });
});

/** With as many open files as many systems allow. */
const serve = () =>
  serving(
    [
      'sh',
      '-c',
      'ulimit -n 1024 && exec "$@"',
      'sh',
      process.execPath,
      join(inject('builtCli'), 'dist/bin.js'),
      'serve',
    ],
    { cwd },
  );

/** Connections that are still open are in `sockets`. */
async function open(origin: string, count: number, say = ''): Promise<void> {
  const { port } = new URL(origin);
  const opened = Array.from({ length: count }, () => {
    const socket = connect(Number(port), '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (say !== '') socket.write(say);
    socket.resume();
    return Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
  });
  await Promise.all(opened);
}

const probe = async (origin: string) => (await lifesign(['probe', origin, '--timeout', '10s'])).stdout;

test('five thousand idle connections: the probe is answered, no more than 500 are kept', async () => {
  const service = await serve();
  for (let round = 0; round < 10; round += 1) {
    await open(service.origin, 500);
    if (round % 3 === 0) expect(await probe(service.origin)).toMatch(/^ok 200 /);
  }
  expect(await probe(service.origin)).toMatch(/^ok 200 /);
  await expect.poll(() => sockets.size, { timeout: 30_000 }).toBeLessThanOrEqual(500);
  // Nor are those kept that say nothing.
  await expect.poll(() => sockets.size, { timeout: 30_000 }).toBe(0);
  expect(await service.stop()).toBe(0);
});

test('requests that drip are ended, and the probe is answered meanwhile', async () => {
  const service = await serve();
  await open(service.origin, 450, 'GET /__heartbeat__ HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write('x');
  }, 200);
  expect(await probe(service.origin)).toMatch(/^ok 200 /);
  await expect.poll(() => sockets.size, { timeout: 30_000 }).toBe(0);
  await open(service.origin, 450, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
  expect(await probe(service.origin)).toMatch(/^ok 200 /);
  await expect.poll(() => sockets.size, { timeout: 30_000 }).toBe(0);
  clearInterval(timer);
  expect(await service.stop()).toBe(0);
});

test('a head of more than 8 KB is refused', async () => {
  const service = await serve();
  const headers = { 'x-large': 'a'.repeat(9000) };
  expect((await fetch(`${service.origin}/__lbheartbeat__`, { headers })).status).toBe(431);
  await service.stop();
});

test('a connection ends after a thousand requests', async () => {
  const service = await serve();
  const request = 'GET /__lbheartbeat__ HTTP/1.1\r\nHost: x\r\n\r\n';
  const { port } = new URL(service.origin);
  const socket = connect(Number(port), '127.0.0.1');
  sockets.add(socket);
  let received = '';
  socket.on('data', (bytes) => {
    received += String(bytes);
  });
  socket.on('error', () => {});
  socket.write(request.repeat(1100));
  await once(socket, 'close');
  expect(received.split('HTTP/1.1 200 OK').length - 1).toBeLessThanOrEqual(1000);
  await service.stop();
});
