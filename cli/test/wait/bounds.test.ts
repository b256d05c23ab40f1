import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { inProcess } from '../run.js';

/** As docs/security.md says. */
const [maxBytes, maxConnections] = [256 * 1024, 32];

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers 200 with a body that does not end. */
function flooding(): Server {
  const block = Buffer.alloc(64 * 1024, ' ');
  return createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.on('error', () => {});
    const pour = () => {
      while (!res.destroyed && res.write(block));
    };
    res.on('drain', pour);
    pour();
  });
}

/** Every connection that this process opens while `run` is under way, and how many were open at once. */
async function connectionsOf(run: () => Promise<unknown>): Promise<{ sockets: Socket[]; most: number }> {
  const sockets: Socket[] = [];
  let most = 0;
  const opened = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    sockets.push(socket);
    most = Math.max(most, sockets.filter(({ destroyed }) => !destroyed).length);
  };
  subscribe('net.client.socket', opened);
  try {
    await run();
  } finally {
    unsubscribe('net.client.socket', opened);
  }
  return { sockets, most };
}

test('wait reads 256 KiB of a body and no more, over 32 connections at once, of 60 services that flood', async () => {
  const urls = await Promise.all(Array.from({ length: 60 }, () => listening(flooding())));
  const args = ['--commit', '22222222', '--healthy', '--for', '1s', '--timeout', '3s'];
  let outcome = { code: null as number | null, stdout: '' };
  const { sockets, most } = await connectionsOf(async () => {
    outcome = await inProcess(['wait', ...urls, ...args]);
  });
  expect(outcome.code).toBe(1);
  expect(outcome.stdout).toContain(`the body is larger than ${maxBytes} bytes`);
  expect(sockets.length).toBeGreaterThan(60);
  expect(most).toBeLessThanOrEqual(maxConnections);
  // The head, and what one read of the socket has beyond the limit.
  const beyond = 2 * 64 * 1024;
  for (const { bytesRead } of sockets) expect(bytesRead).toBeLessThan(maxBytes + beyond);
});

test('services that never answer keep no other from being asked', async () => {
  const silent = await Promise.all(
    Array.from({ length: maxConnections - 1 }, () => listening(createServer(() => {}))),
  );
  let answered = 0;
  const alive = await listening(
    createServer((_req, res) => {
      answered += 1;
      res.end('{}');
    }),
  );
  const { code, stdout } = await inProcess(['wait', ...silent, alive, '--timeout', '3s']);
  expect(code).toBe(1);
  expect(stdout).toContain(`1 of ${maxConnections}`);
  expect(answered).toBeGreaterThan(1);
});
