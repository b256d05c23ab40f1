import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { leave } from '../../core/leave.js';
import { checks, Health } from 'lifesign/node';
import { connectHealth } from 'lifesign/grpc';
import { until } from '../../core/waiting.js';
import { healthClient } from './health-client.js';

async function serve(options: object) {
  const state = { fails: false };
  const health = new Health({ logger: false, ...options });
  health.check('stripe', () => (state.fails ? [new checks.Error('It is down', { id: 'acme.E001' })] : []));
  const server = createServer(connectNodeAdapter({ routes: connectHealth(health) }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  onTestFinished(() => {
    server.close();
    health.close();
  });
  return { health, state, server, port: address.port, ...healthClient(address.port) };
}

test('Connect serves the verdicts, groups and draining', async () => {
  const { health, state, check } = await serve({ probes: true, groups: { payments: ['stripe'] } });
  health.started();
  await until(async () => (await check('readiness')) === 'SERVING');
  expect([await check(''), await check('liveness'), await check('payments')]).toEqual([
    'SERVING',
    'SERVING',
    'SERVING',
  ]);
  expect([await check('other'), await check('x'.repeat(300))]).toEqual(['5', '5']);
  state.fails = true;
  expect(await check('payments')).toBe('NOT_SERVING');
  state.fails = false;
  expect(await check('payments')).toBe('SERVING');
  leave(health);
  expect([await check(''), await check('payments'), await check('liveness')]).toEqual([
    'NOT_SERVING',
    'NOT_SERVING',
    'SERVING',
  ]);
});

test("Connect's own protocol has the names of the statuses", async () => {
  const { health } = await serve({});
  const { createServer: createHttp1 } = await import('node:http');
  const server = createHttp1(connectNodeAdapter({ routes: connectHealth(health) })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const ask = async (service: string) => {
    const response = await fetch(`http://127.0.0.1:${address.port}/grpc.health.v1.Health/Check`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ service }),
    });
    return response.json();
  };
  expect(await ask('')).toEqual({ status: 'SERVING' });
  expect(await ask('"other"')).toEqual({
    code: 'not_found',
    message: String.raw`Unknown service "\"other\""`,
  });
});

test('a router of Connect is accepted, and what is no Health is not', () => {
  expectTypeOf<ConnectRouter>().toExtend<Parameters<ReturnType<typeof connectHealth>>[0]>();
  // @ts-expect-error a Health is needed
  expect(() => connectHealth({})).toThrow(expect.objectContaining({ code: 'LIFESIGN_APP' }));
});
