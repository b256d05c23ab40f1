import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { Turns } from '../../src/wait/watch.js';
import { maxBytes, maxConnections } from '../../src/wait/watch.js';
import { inProcess } from '../run.js';

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

test('turns: never more at once than may, all come, in their order, whatever fails', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.boolean(), { maxLength: 30 }),
      async (limit, plan) => {
        const turns = new Turns(limit);
        const started: number[] = [];
        let [running, most] = [0, 0];
        const outcomes = await Promise.allSettled(
          plan.map((fails, index) =>
            turns.take(async () => {
              started.push(index);
              running += 1;
              most = Math.max(most, running);
              await Promise.resolve();
              running -= 1;
              if (fails) throw new Error('failed');
              return index;
            }),
          ),
        );
        expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(plan);
        expect(started).toEqual(plan.map((_, index) => index));
        expect(most).toBeLessThanOrEqual(limit);
        expect(running).toBe(0);
      },
    ),
  );
});
