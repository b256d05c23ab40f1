import * as grpc from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { leave } from '../../core/leave.js';
import { checks, Health } from 'lifesign/node';
import { grpcHealth } from 'lifesign/grpc';
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

test('the standard client gets the verdicts, groups and draining', async () => {
  const { health, state, check } = await serve({ probes: true, groups: { payments: ['stripe'] } });
  health.started();
  await until(async () => (await check('readiness')) === 'SERVING');
  expect(await check('')).toBe('SERVING');
  expect(await check('liveness')).toBe('SERVING');
  expect(await check('payments')).toBe('SERVING');
  expect(await check('other')).toBe('5');
  expect(await check('x'.repeat(300))).toBe('5');
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
