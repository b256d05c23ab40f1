import 'reflect-metadata';
import { tmpdir } from 'node:os';
import {
  type ArgumentsHost,
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
import { lastValueFrom, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LogRecord } from 'lifesign';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';

const open: INestApplication[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

const broken = (where: string) => {
  throw new Error(`${where} is broken`);
};

/** Answers for itself what the application throws. */
class Answering {
  catch(_thrown: unknown, host: ArgumentsHost) {
    const response: { status(code: number): { send(body: string): void } } = host
      .switchToHttp()
      .getResponse();
    response.status(500).send('{}');
  }
}

class Broken {
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
for (const name of ['handler', 'later', 'filtered', 'guarded', 'refused', 'fine'] as const) {
  const descriptor = Reflect.getOwnPropertyDescriptor(Broken.prototype, name) ?? {};
  Get(name)(Broken.prototype, name, descriptor);
  if (name === 'filtered') UseFilters(new Answering())(Broken.prototype, name, descriptor);
  if (name === 'guarded')
    UseGuards({ canActivate: () => broken('guarded') })(Broken.prototype, name, descriptor);
}

async function start(adapter: ExpressAdapter | FastifyAdapter, records: LogRecord[]) {
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
      consumer.apply(() => broken('middle')).forRoutes('middle');
    }
  }
  const HEALTH_LOGGER = { log: (record: LogRecord) => void records.push(record) };
  const settings = { BASE_DIR: tmpdir(), DEBUG: true, HEALTH_LOGGER };
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [Broken] })(AppModule);
  const app = await NestFactory.create(AppModule, adapter, { logger: false, abortOnError: false });
  open.push(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('%s: what the application throws', (_platform, adapter) => {
  test.each(['handler', 'later', 'filtered', 'guarded', 'middle'])('%s: is in the summary', async (where) => {
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
  });

  test('what is not a failure is no error in the log', async () => {
    const records: LogRecord[] = [];
    const app = await start(adapter(), records);
    for (const path of ['refused', 'fine', 'nowhere']) await fetch(`${await app.getUrl()}/${path}`);
    const summaries = () => records.filter(({ logger }) => logger === 'request.summary');
    await expect.poll(() => summaries().map(({ fields }) => fields['code'])).toEqual([403, 200, 404]);
    expect(summaries().filter(({ level, msg }) => level !== 20 || msg !== undefined)).toEqual([]);
  });

  test('no request runs through an interceptor for it', async () => {
    const app = await start(adapter(), []);
    expect(app.get(ApplicationConfig).getGlobalInterceptors()).toEqual([]);
  });
});

describe('another Nest', () => {
  beforeEach(() => vi.resetModules());
  const load = () => import('../../src/frameworks/nestjs/thrown.js');

  test.each([
    ['without the file of the handler', () => Promise.reject(new Error('Cannot find module'))],
    ['with another name', async () => ({})],
    ['with a handler that is no class', async () => ({ ExceptionsHandler: {} })],
    [
      'of another copy',
      async () => ({
        ExceptionsHandler: class {
          next() {}
        },
      }),
    ],
  ])('%s: an interceptor takes its place', async (_which, handler) => {
    const { noteThrown, watchThrown } = await load();
    expect(await watchThrown(handler)).toBe(false);
    const config = new ApplicationConfig();
    noteThrown(config);
    const [interceptor] = config.getGlobalInterceptors();

    const exchange: { error?: unknown } = {};
    const request = { [Symbol.for('lifesign.exchange.1')]: exchange };
    const thrown = new Error('broken');
    const run = (type: string) => {
      const context = { getType: () => type, switchToHttp: () => ({ getRequest: () => request }) };
      const given: unknown = interceptor?.intercept(context as never, {
        handle: () => throwError(() => thrown),
      });
      return expect(lastValueFrom(given as never)).rejects.toBe(thrown);
    };
    await run('rpc');
    expect(exchange).toEqual({});
    await run('http');
    expect(exchange.error).toBe(thrown);
  });

  test('the handler is watched once, however many modules ask', async () => {
    const { watchThrown } = await load();
    const handler = vi.fn(() => Promise.reject(new Error('Cannot find module')));
    await Promise.all([watchThrown(handler), watchThrown(handler)]);
    expect(handler).toHaveBeenCalledTimes(1);
  });
});
