import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Health } from 'lifesign/node';
import { verifying } from './verifying.js';

async function idleOf(prepare: (server: Server) => void, idle = '1500ms') {
  const server = createServer((_req, res) => res.writeHead(404).end());
  const health = new Health(server, { logger: false });
  prepare(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    health.close();
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return verifying([url, '--only', 'idle', '--idle', idle]);
}

test('a service that closes first fails, and the reason says after how long', async () => {
  const { code, results } = await idleOf((server) => (server.keepAliveTimeout = 1), '20s');
  expect(code).toBe(1);
  expect(results).toMatchObject([
    {
      name: 'idle',
      outcome: 'failed',
      reason: expect.stringMatching(/closed an idle connection after \d+\.\d s.*keeps it for 20\.0 s$/),
    },
  ]);
});

test('one that keeps the connection passes', async () => {
  const { code, results, stderr } = await idleOf((server) => (server.keepAliveTimeout = 60_000));
  expect(results).toMatchObject([{ name: 'idle', outcome: 'passed' }]);
  expect(stderr).toContain('The service kept it open: verify closed it first');
  expect(code).toBe(0);
});

test.each([
  ['says so', (res: ServerResponse) => res.setHeader('Connection', 'close'), []],
  [
    'does not say so',
    ({ socket, req }: ServerResponse) => void req.on('close', () => socket?.end()),
    [expect.stringMatching(/^the service closed the connection \d+ ms after a response that did not say/)],
  ],
])('a service that closes a connection with its response and %s', async (_name, close, reasons) => {
  const server = createServer((req, res) => {
    if (req.url === '/__lbheartbeat__') close(res);
    res.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { advised } = await verifying([url, '--only', 'reuse']);
  expect(advised.map(({ reason }) => reason)).toEqual(reasons);
});

test('a service that ends each connection with its response fails', async () => {
  const close = (server: Server) => (server.maxRequestsPerSocket = 1);
  expect((await idleOf(close)).results).toMatchObject([
    { outcome: 'failed', reason: expect.stringContaining('closed an idle connection after 0.') },
  ]);
});
