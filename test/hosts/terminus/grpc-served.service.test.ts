import * as grpc from '@grpc/grpc-js';
import { service as standard } from 'grpc-health-check';
import { expect, onTestFinished, test } from 'vitest';
import { engineOf } from '../../../src/core/health.js';
import { checks, Health } from '../../../src/frameworks/node.js';
import { grpcHealth } from '../../../src/grpc/index.js';
import { selfSigned } from '../../http/certificate.js';
import { until } from '../../core/waiting.js';

type Reply = { readonly status: string };
const Client = grpc.makeGenericClientConstructor(standard, 'Health');

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
  const client = new Client(
    `127.0.0.1:${port}`,
    secure
      ? grpc.credentials.createSsl(Buffer.from(cert), null, null, { checkServerIdentity: () => undefined })
      : grpc.credentials.createInsecure(),
  );
  onTestFinished(() => {
    client.close();
    server.forceShutdown();
    health.close();
  });
  const check = (name: string) =>
    new Promise<string>((resolve) => {
      const over = (error: grpc.ServiceError | null, reply?: Reply) =>
        resolve(error === null ? String(reply?.status) : `${error.code}`);
      Reflect.apply(client['Check'] as () => void, client, [{ service: name }, over]);
    });
  const watch = (name: string) => {
    const seen: string[] = [];
    const call: grpc.ClientReadableStream<Reply> = Reflect.apply(
      client['Watch'] as () => grpc.ClientReadableStream<Reply>,
      client,
      [{ service: name }],
    );
    call.on('data', ({ status }: Reply) => void seen.push(status)).on('error', () => {});
    onTestFinished(() => call.cancel());
    return { seen, call };
  };
  return { health, state, check, watch };
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
  engineOf(health).leave(true);
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
  engineOf(health).leave(true);
  await all('SERVING', 'NOT_SERVING', 'SERVING', 'NOT_SERVING');
  const unknown = watch('other');
  await until(() => unknown.seen.join() === 'SERVICE_UNKNOWN');
});

test('over TLS, and without probes: the instance serves until it drains', async () => {
  const { health, state, check } = await serve({}, true);
  state.fails = true;
  expect([await check(''), await check('liveness')]).toEqual(['SERVING', '5']);
  engineOf(health).leave(true);
  expect(await check('')).toBe('NOT_SERVING');
});
