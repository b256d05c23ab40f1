import { randomUUID } from 'node:crypto';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import type { MiddlewareConsumer } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Health, HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { job } from 'lifesign/worker';
import { deferred, until } from '../core/waiting.js';
import { collect } from '../http/serving.js';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { freePort } from '../services/port.js';

/** An application with a handler of messages and one of events, which wait until they are told to end. */
function makeApp(http: boolean) {
  const { logger, records } = collect();
  const work = deferred();
  const seen: string[] = [];
  const pattern = `orders-${randomUUID()}`;
  class Orders {
    async answer() {
      seen.push('asked');
      await work.promise;
      return 'answered';
    }
    async hear() {
      seen.push('told');
      await work.promise;
      seen.push('heard');
    }
  }
  Controller()(Orders);
  const method = (name: string) => Object.getOwnPropertyDescriptor(Orders.prototype, name) ?? {};
  MessagePattern(`${pattern}-message`)(Orders.prototype, 'answer', method('answer'));
  EventPattern(`${pattern}-event`)(Orders.prototype, 'hear', method('hear'));
  class App {
    configure(consumer: MiddlewareConsumer) {
      if (http) consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  const settings = {
    BASE_DIR: process.cwd(),
    HEALTH_CHECKS: [],
    HEALTH_LOGGER: logger,
    HEALTH_PORT: 0,
    HEALTH_DRAIN_DELAY: 0,
  };
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [Orders] })(App);
  return { App, work, seen, pattern, messages: () => records.flatMap(({ msg }) => msg ?? []) };
}

const quiet = { logger: false, abortOnError: false } as const;

/** Sends the signal to the hooks of the application, as Nest would. */
const end = (app: object): Promise<void> =>
  Reflect.apply(Reflect.get(app, 'callBeforeShutdownHook'), app, ['SIGTERM']);

interface Broker {
  readonly name: string;
  readonly service?: 'redis' | 'rabbitmq' | 'nats';
  readonly options: (url: string, port: number) => MicroserviceOptions;
}

const transports: readonly Broker[] = [
  {
    name: 'TCP',
    options: (_url, port) => ({ transport: Transport.TCP, options: { host: '127.0.0.1', port } }),
  },
  {
    name: 'Redis',
    service: 'redis',
    options: (url) => ({
      transport: Transport.REDIS,
      options: { host: '127.0.0.1', port: Number(new URL(url).port) },
    }),
  },
  {
    name: 'RabbitMQ',
    service: 'rabbitmq',
    options: (url) => ({
      transport: Transport.RMQ,
      options: {
        urls: [url],
        queue: `orders-${randomUUID()}`,
        queueOptions: { durable: false, autoDelete: true },
      },
    }),
  },
  {
    name: 'NATS',
    service: 'nats',
    options: (url) => ({
      transport: Transport.NATS,
      options: { servers: [url], user: 'planted_user', pass: 'pl4nted-S3cret' },
    }),
  },
];

describe.each(transports)('a microservice over $name', ({ service, options }) => {
  const isThere = service === undefined || canStart(service);
  let server: RunningService | undefined;
  beforeAll(async () => {
    if (service !== undefined && isThere) server = await startService(service);
  });
  afterAll(() => server?.stop());

  test.skipIf(!isThere).each([false, true])(
    'finishes and answers its messages before it ends, HTTP beside it: %s',
    async (http) => {
      const { App, work, seen, pattern, messages } = makeApp(http);
      const transport = options(server?.url ?? '', await freePort());
      const start = async () => {
        if (!http) {
          const app = await NestFactory.createMicroservice<MicroserviceOptions>(App, {
            ...quiet,
            ...transport,
          });
          app.enableShutdownHooks([]);
          await app.listen();
          return app;
        }
        const app = await NestFactory.create(App, quiet);
        app.connectMicroservice<MicroserviceOptions>(transport);
        app.enableShutdownHooks([]);
        await app.startAllMicroservices();
        await app.listen(0, '127.0.0.1');
        return app;
      };
      const app = await start();
      const client = ClientProxyFactory.create(transport as never);
      onTestFinished(() => client.close());
      await client.connect();
      const answer = firstValueFrom(client.send<string>(`${pattern}-message`, {}));
      client.emit(`${pattern}-event`, {});
      await until(() => seen.length === 2);
      let ended = false;
      const ending = end(app).then(() => (ended = true));
      const count = http
        ? 'Draining: 2 jobs are in progress'
        : 'Draining (SIGTERM): taking no more work, 2 jobs are in progress';
      await until(() => messages().includes(count));
      expect(ended).toBe(false);
      work.resolve();
      await ending;
      expect(await answer).toBe('answered');
      expect(seen).toContain('heard');
      expect(messages().join('\n')).not.toContain('Cut off');
      await app.close();
    },
  );
});

test('a handler that runs a job counts once', async () => {
  const { App, messages } = makeApp(false);
  const work = deferred();
  class Mails {
    send() {
      return job(app.get(Health), 'mail', 1, () => work.promise);
    }
  }
  EventPattern('mail')(
    Mails.prototype,
    'send',
    Object.getOwnPropertyDescriptor(Mails.prototype, 'send') ?? {},
  );
  Controller()(Mails);
  class Root {}
  Module({ imports: [App], controllers: [Mails] })(Root);
  const port = await freePort();
  const transport = { transport: Transport.TCP, options: { host: '127.0.0.1', port } } as const;
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(Root, { ...quiet, ...transport });
  app.enableShutdownHooks([]);
  await app.listen();
  const client = ClientProxyFactory.create(transport);
  await client.connect();
  client.emit('mail', {});
  await new Promise((resolve) => setTimeout(resolve, 200));
  const ending = end(app);
  await until(() => messages().some((msg) => msg.includes('1 job is in progress')));
  work.resolve();
  await ending;
  await app.close();
  client.close();
});
