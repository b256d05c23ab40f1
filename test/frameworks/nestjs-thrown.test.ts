import 'reflect-metadata';
import { tmpdir } from 'node:os';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  Get,
  HttpException,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApplicationConfig, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  ClientProxyFactory,
  MessagePattern,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { HealthMiddleware, HealthModule, noteError } from 'lifesign/nestjs';
import { freePort } from '../services/port.js';

const open: INestApplication[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

const broken = (where: string) => {
  throw new Error(`${where} is broken`);
};

/** Answers for itself what the application throws. */
class Answering {
  catch(thrown: unknown, host: ArgumentsHost) {
    noteError(host.switchToHttp().getRequest(), thrown);
    const response: { status(code: number): { send(body: string): void } } = host
      .switchToHttp()
      .getResponse();
    response.status(500).send('{}');
  }
}

class Known extends Error {}

/** A filter of the whole application, which knows nothing of lifesign. */
class AnsweringAll {
  readonly name = 'mine';
  catch(thrown: unknown, host: ArgumentsHost) {
    const response: { status(code: number): { send(body: string): void } } = host
      .switchToHttp()
      .getResponse();
    response.status(500).send(`${this.name}: ${String(thrown)}`);
  }
}
Catch(Known)(AnsweringAll);

class Broken {
  known() {
    throw new Known('known is broken');
  }
  handler() {
    return broken('handler');
  }
  async later() {
    await Promise.resolve();
    return broken('later');
  }
  filtered() {
    return broken('filtered');
  }
  guarded() {}
  refused() {
    throw new HttpException('not for you', 403);
  }
  fine() {
    return {};
  }
}
Controller()(Broken);
for (const name of ['handler', 'later', 'filtered', 'known', 'guarded', 'refused', 'fine'] as const) {
  const descriptor = Reflect.getOwnPropertyDescriptor(Broken.prototype, name) ?? {};
  Get(name)(Broken.prototype, name, descriptor);
  if (name === 'filtered') UseFilters(new Answering())(Broken.prototype, name, descriptor);
  if (name === 'guarded')
    UseGuards({ canActivate: () => broken('guarded') })(Broken.prototype, name, descriptor);
}

async function start(
  adapter: ExpressAdapter | FastifyAdapter,
  records: LogRecord[],
  filter = new AnsweringAll(),
) {
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
      consumer.apply(() => broken('middle')).forRoutes('middle');
    }
  }
  const logger = { log: (record: LogRecord) => void records.push(record) };
  const settings = { BASE_DIR: tmpdir(), DEBUG: true, logger };
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [Broken] })(AppModule);
  const app = await NestFactory.create(AppModule, adapter, { logger: false, abortOnError: false });
  app.useGlobalFilters(filter);
  open.push(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('%s: what the application throws', (_platform, adapter) => {
  test.each(['handler', 'later', 'filtered', 'known', 'guarded', 'middle'])(
    '%s: is in the summary',
    async (where) => {
      const records: LogRecord[] = [];
      const app = await start(adapter(), records);
      expect((await fetch(`${await app.getUrl()}/${where}`)).status).toBe(500);
      await expect
        .poll(() => records.find(({ logger }) => logger === 'request.summary'))
        .toMatchObject({
          level: 40,
          msg: `${where} is broken`,
          fields: { path: `/${where}`, code: 500, errno: 500 },
        });
    },
  );

  test('what is not a failure is no error in the log', async () => {
    const records: LogRecord[] = [];
    const app = await start(adapter(), records);
    for (const path of ['refused', 'fine', 'nowhere']) await fetch(`${await app.getUrl()}/${path}`);
    const summaries = () => records.filter(({ logger }) => logger === 'request.summary');
    await expect.poll(() => summaries().map(({ fields }) => fields['code'])).toEqual([403, 200, 404]);
    expect(summaries().filter(({ level, msg }) => level !== 20 || msg !== undefined)).toEqual([]);
  });

  test('Nest and the filters of the application answer as without lifesign, and get their members back', async () => {
    const filter = new AnsweringAll();
    const app = await start(adapter(), [], filter);
    const bodies = ['handler', 'known', 'refused'].map(async (path) =>
      (await fetch(`${await app.getUrl()}/${path}`)).text(),
    );
    expect(await Promise.all(bodies)).toEqual([
      '{"statusCode":500,"message":"Internal server error"}',
      'mine: Error: known is broken',
      '{"statusCode":403,"message":"not for you"}',
    ]);
    const config = app.get(ApplicationConfig);
    // An interceptor would make Nest run every request through rxjs.
    expect(config.getGlobalInterceptors()).toEqual([]);
    await app.close();
    expect([config.getGlobalFilters(), Object.keys(filter)]).toEqual([[filter], ['name']]);
  });
});

test('a microservice that inherits the filters answers as without lifesign', async () => {
  class Orders {
    order() {
      return broken('order');
    }
  }
  Controller()(Orders);
  MessagePattern('order')(
    Orders.prototype,
    'order',
    Reflect.getOwnPropertyDescriptor(Orders.prototype, 'order') ?? {},
  );
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  const settings = { BASE_DIR: tmpdir(), logger: false as const };
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [Orders] })(AppModule);
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  open.push(app);
  const transport = {
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: await freePort() },
  } as const;
  app.connectMicroservice<MicroserviceOptions>(transport, { inheritAppConfig: true });
  await app.startAllMicroservices();
  const client = ClientProxyFactory.create(transport);
  onTestFinished(() => client.close());
  await expect(firstValueFrom(client.send('order', {}))).rejects.toMatchObject({
    status: 'error',
    message: 'Internal server error',
  });
});
