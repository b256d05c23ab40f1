import { once } from 'node:events';
import { createServer as createHttp1 } from 'node:http';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import * as grpc from '@grpc/grpc-js';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { leave } from '../../core/leave.js';
import { checks, Health } from 'lifesign/node';
import { connectHealth, grpcHealth } from 'lifesign/grpc';
import { selfSigned } from '../../http/certificate.js';
import { until } from '../../core/waiting.js';
import { healthClient } from './health-client.js';

async function serve(options: object, secure = false) {
  const state = { fails: false };
  const health = new Health({ logger: false, ...options });
  health.check('stripe', () => (state.fails ? [new checks.Error('It is down', { id: 'acme.E001' })] : []));
  const server = new grpc.Server();
  server.addService(...grpcHealth(health));
  const { key, cert } = secure ? await selfSigned() : { key: '', cert: '' };
  const credentials = secure
    ? grpc.ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) },
      ])
    : grpc.ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, at) => (error ? reject(error) : resolve(at)));
  });
  const { check, watch } = healthClient(
    port,
    secure
      ? grpc.credentials.createSsl(Buffer.from(cert), null, null, { checkServerIdentity: () => undefined })
      : undefined,
  );
  onTestFinished(() => {
    server.forceShutdown();
    health.close();
  });
  return { health, server, state, check, watch };
}

/** A server of Connect, in HTTP/2 for clients of gRPC, or in HTTP/1 for its own protocol. */
async function serveConnect(options: object, make = createServer) {
  const state = { fails: false };
  const health = new Health({ logger: false, ...options });
  health.check('stripe', () => (state.fails ? [new checks.Error('It is down', { id: 'acme.E001' })] : []));
  const server = make(connectNodeAdapter({ routes: connectHealth(health) }) as () => void);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    health.close();
  });
  const { port } = server.address() as AddressInfo;
  return { health, state, port, ...healthClient(port) };
}

test.each([
  ['grpc-js', serve],
  ['Connect', serveConnect],
])('the standard client gets the verdicts, groups and draining of %s', async (_name, start) => {
  const { health, state, check } = await start({ probes: true, groups: { payments: ['stripe'] } });
  health.started();
  await until(async () => (await check('readiness')) === 'SERVING');
  for (const name of ['', 'liveness', 'payments']) expect(await check(name)).toBe('SERVING');
  expect([await check('other'), await check('x'.repeat(300))]).toEqual(['5', '5']);
  state.fails = true;
  expect(await check('payments')).toBe('NOT_SERVING');
  await until(async () => (await check('')) === 'NOT_SERVING');
  state.fails = false;
  await until(async () => (await check('')) === 'SERVING');
  leave(health);
  expect([await check(''), await check('payments'), await check('liveness')]).toEqual([
    'NOT_SERVING',
    'NOT_SERVING',
    'SERVING',
  ]);
});

test("Connect's own protocol has the names of the statuses", async () => {
  const { port } = await serveConnect({}, createHttp1 as unknown as typeof createServer);
  const ask = async (service: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/grpc.health.v1.Health/Check`, {
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

test('a thousand who watch get each change, and draining at once', async () => {
  const { health, state, watch } = await serve({ groups: { payments: ['stripe'] } });
  const calls = Array.from({ length: 1000 }, () => watch('payments'));
  const all = (...expected: string[]) =>
    until(() => calls.every(({ seen }) => seen.join() === expected.join()));
  await all('SERVING');
  state.fails = true;
  await all('SERVING', 'NOT_SERVING');
  state.fails = false;
  await all('SERVING', 'NOT_SERVING', 'SERVING');
  leave(health);
  await all('SERVING', 'NOT_SERVING', 'SERVING', 'NOT_SERVING');
  const unknown = watch('other');
  await until(() => unknown.seen.join() === 'SERVICE_UNKNOWN');
});

test('over TLS, and without probes: the instance serves until it drains', async () => {
  const { health, state, check } = await serve({}, true);
  state.fails = true;
  expect([await check(''), await check('liveness')]).toEqual(['SERVING', '5']);
  leave(health);
  expect(await check('')).toBe('NOT_SERVING');
});

test('a server that shuts down while it drains does not wait for clients that watch', async () => {
  const { health, server, watch } = await serve({ probes: true });
  const calls = ['', 'liveness', 'other'].map(watch);
  await until(() => calls.every(({ seen }) => seen.length === 1));
  leave(health);
  await new Promise<void>((resolve, reject) => {
    server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
  });
  expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  expect(calls.map(({ seen }) => seen.at(-1))).toEqual(['NOT_SERVING', 'SERVING', 'SERVICE_UNKNOWN']);
});
