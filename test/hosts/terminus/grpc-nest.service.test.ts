import 'reflect-metadata';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type GrpcOptions, Transport } from '@nestjs/microservices';
import { expect, onTestFinished, test } from 'vitest';
import { checks } from 'lifesign';
import { Health, HealthModule } from 'lifesign/nestjs';
import { grpcHealth } from 'lifesign/grpc';
import { until } from '../../core/waiting.js';
import { freePort } from '../../services/port.js';
import { healthClient } from './health-client.js';

test('the gRPC transport of NestJS serves the verdicts, a group and draining, and closes', async () => {
  const state = { fails: false };
  class App {}
  const settings = {
    BASE_DIR: process.cwd(),
    HEALTH_CHECKS: [],
    groups: { payments: ['stripe'] },
    probes: true,
    logger: { log: () => {} },
    healthPort: 0,
    drain: { delay: 0 },
  };
  Module({ imports: [HealthModule.forRoot(settings)] })(App);
  const port = await freePort();
  const transport: GrpcOptions = {
    transport: Transport.GRPC,
    options: {
      url: `127.0.0.1:${port}`,
      package: 'shop',
      protoPath: join(import.meta.dirname, '../../frameworks/orders.proto'),
      gracefulShutdown: true,
      onLoadPackageDefinition: (_package, server) => server.addService(...grpcHealth(app.get(Health))),
    },
  };
  const app = await NestFactory.createMicroservice(App, { logger: false, abortOnError: false, ...transport });
  app
    .get(Health)
    .check('stripe', () => (state.fails ? [new checks.Error('It is down', { id: 'acme.E001' })] : []));
  app.enableShutdownHooks([]);
  await app.listen();
  let isClosed = false;
  onTestFinished(async () => {
    if (!isClosed) await app.close();
  });
  const { check, watch } = healthClient(port);
  await until(async () => (await check('readiness')) === 'SERVING');
  expect([await check(''), await check('payments'), await check('other')]).toEqual([
    'SERVING',
    'SERVING',
    '5',
  ]);
  state.fails = true;
  expect(await check('payments')).toBe('NOT_SERVING');
  state.fails = false;
  const { seen, ended } = watch('payments');
  await until(() => seen.join() === 'SERVING');

  const hook: unknown = Reflect.get(app, 'callBeforeShutdownHook');
  if (typeof hook !== 'function') throw new Error('No hook');
  await Reflect.apply(hook, app, ['SIGTERM']);
  expect([await check(''), await check('payments')]).toEqual(['NOT_SERVING', 'NOT_SERVING']);
  // tryShutdown of grpc-js waits for each open call.
  await app.close();
  isClosed = true;
  expect([await ended, seen]).toEqual([0, ['SERVING', 'NOT_SERVING']]);
});
