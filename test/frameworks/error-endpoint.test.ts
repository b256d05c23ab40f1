import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  type MiddlewareConsumer,
  Module,
} from '@nestjs/common';
import { type AbstractHttpAdapter, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express5, { type Express, type Request, type Response } from 'express';
import express4 from 'express4';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as FetchHealth } from 'lifesign/fetch';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { Health as NodeHealth } from 'lifesign/node';
import { collect, listening, until } from '../http/serving.js';

const token = 'f3b1c2d4e5a697880123456789abcdef';
const headers = { authorization: `Bearer ${token}` };
const errorEndpoint = { token };
const onPurpose = expect.objectContaining({ name: 'DeliberateError' });

/** The answer of the application's own error handler, and one summary that tells why. */
async function expectHandled(origin: string, summaries: ReturnType<typeof collect>['summaries']) {
  const answer = await fetch(`${origin}/__error__`, { headers });
  expect([answer.status, await answer.text()]).toEqual([503, 'handled by the application']);
  await until(() => summaries().length === 1);
  expect(summaries()[0]).toMatchObject({ level: 40, fields: { errno: 503, code: 503, path: '/__error__' } });
  expect(summaries()[0]?.msg).toMatch(/^The \/__error__ endpoint was called/);
}

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s', (_name, express: typeof express5) => {
  const setUp = (app: Express, reported: unknown[]) => {
    app.use(express.json());
    app.use((_req, res, next) => void (_req.get('x-user') === undefined ? res.status(401).end() : next()));
    app.get('/', (_req, res) => void res.send('hello'));
    // As an error reporter adds itself.
    app.use((error: unknown, _req: Request, _res: Response, next: (error: unknown) => void) => {
      reported.push(error);
      next(error);
    });
    app.use((_error: unknown, _req: Request, res: Response, _next: unknown) => {
      res.status(503).send('handled by the application');
    });
  };

  test.each(['first', 'last'])('every error handler hears of it; the Health is made %s', async (order) => {
    const { logger, summaries } = collect();
    const reported: unknown[] = [];
    const app = express();
    const make = () => new ExpressHealth(app, { errorEndpoint, logger });
    if (order === 'first') make();
    setUp(app, reported);
    if (order === 'last') make();
    const origin = await listening(createServer(app));
    await expectHandled(origin, summaries);
    expect(reported).toEqual([onPurpose]);
    // The application is as it was.
    expect((await fetch(`${origin}/__error__`)).status).toBe(401);
    expect(await (await fetch(origin, { headers: { 'x-user': 'ada' } })).text()).toBe('hello');
    expect(reported).toHaveLength(1);
  });

  test('in an application that is mounted in another, whose handler hears of it', async () => {
    const { logger, summaries } = collect();
    const [inner, outer] = [express(), express()];
    new ExpressHealth(inner, { errorEndpoint, logger });
    inner.get('/', (_req, res) => void res.send('hello'));
    outer.use(inner);
    outer.use((_error: unknown, _req: Request, res: Response, _next: unknown) => {
      res.status(503).send('handled by the application');
    });
    await expectHandled(await listening(createServer(outer)), summaries);
  });
});

test('Fastify: hooks for errors and the error handler hear of it', async () => {
  const { logger, summaries } = collect();
  const reported: unknown[] = [];
  const app = Fastify();
  new FastifyHealth(app, { errorEndpoint, logger });
  app.addHook('onError', async (_request, _reply, error) => void reported.push(error));
  app.setErrorHandler((error, _request, reply) => {
    reported.push(error);
    return reply.code(503).type('text/plain').send('handled by the application');
  });
  await app.ready();
  onTestFinished(() => app.close().then(() => undefined));
  await expectHandled(await listening(app.server), summaries);
  expect(reported).toEqual([onPurpose, onPurpose]);
  const injected = await app.inject({ url: '/__error__', headers });
  expect([injected.statusCode, injected.body]).toEqual([503, 'handled by the application']);
});

describe('Koa', () => {
  const failing = (reported: unknown[]): Koa.Middleware =>
    async function handleErrors(ctx, next) {
      try {
        await next();
      } catch (error) {
        // Without a word to the application, as many do.
        reported.push(error);
        ctx.status = 503;
        ctx.body = 'handled by the application';
      }
    };
  const answering: Record<string, Koa.Middleware> = {
    'a catch-all': (ctx) => {
      ctx.body = 'must not run';
      throw new Error('must not run');
    },
    'one that could go on': async (ctx, next) => {
      if (ctx.path === '/') await next();
      else ctx.status = 404;
    },
    'a refusal': async (ctx, _next) => ctx.throw(401),
    'no answer': (_ctx, next) => next(),
  };

  test.each(Object.keys(answering))('middleware that catches hears of it, before %s', async (name) => {
    const { logger, summaries } = collect();
    const reported: unknown[] = [];
    const app = new Koa();
    app.use(failing(reported));
    new KoaHealth(app, { errorEndpoint, logger });
    app.use(answering[name] ?? failing([]));
    await expectHandled(await listening(createServer(app.callback())), summaries);
    expect(reported).toEqual([onPurpose]);
  });

  test('listeners for errors hear of it', async () => {
    const { logger, summaries } = collect();
    const reported: unknown[] = [];
    const app = new Koa();
    new KoaHealth(app, { errorEndpoint, logger });
    app.on('error', (error) => reported.push(error));
    const origin = await listening(createServer(app.callback()));
    expect((await fetch(`${origin}/__error__`, { headers })).status).toBe(500);
    await until(() => summaries().length === 1);
    expect(summaries()[0]?.fields).toMatchObject({ errno: 500, code: 500 });
    expect(reported).toEqual([onPurpose]);
  });
});

test.each<[string, (app: Hono) => unknown]>([
  ['no route', () => {}],
  ['a route', (app) => app.all('/__error__', (c) => c.text('must not answer'))],
  ['a catch-all', (app) => app.all('*', (c) => c.text('must not answer'))],
  [
    'a middleware that refuses',
    (app) => app.use(async (c, next) => (c.req.header('x') ? next() : c.text('', 401))),
  ],
  [
    'a sub-application',
    (app) =>
      app.route(
        '/',
        new Hono().all('*', (c) => c.text('must not answer')),
      ),
  ],
])('Hono: onError and middleware hear of it, with %s', async (_name, add) => {
  const { logger, summaries } = collect();
  const reported: unknown[] = [];
  const app = new Hono();
  new HonoHealth(app, { errorEndpoint, logger });
  app.use(async (c, next) => {
    await next();
    reported.push(c.error);
  });
  app.get('/', (c) => c.text('hello'));
  add(app);
  app.onError((error, c) => {
    reported.push(error);
    return c.text('handled by the application', 503);
  });
  const answer = await app.request('/__error__', { headers });
  expect([answer.status, await answer.text()]).toEqual([503, 'handled by the application']);
  expect(reported).toEqual([onPurpose, onPurpose]);
  expect(summaries()).toHaveLength(1);
  expect(summaries()[0]).toMatchObject({ level: 40, fields: { errno: 503, code: 503 } });
  expect(await (await app.request('/')).text()).toBe('hello');
});

test('fetch: thrown where the handler would, for wrap, respond and an object', async () => {
  const { logger, summaries } = collect();
  const health = new FetchHealth({ errorEndpoint, logger });
  const asked = () => new Request('http://shop/__error__', { headers });
  const handler = health.wrap(() => new Response('hello'));
  expect(() => handler(asked())).toThrow(onPurpose);
  expect(() => health.respond(asked())).toThrow(onPurpose);
  const worker = { fetch: async (_request: globalThis.Request) => new Response('hello') };
  new FetchHealth(worker, { errorEndpoint, logger });
  await expect(async () => worker.fetch(asked())).rejects.toThrow(onPurpose);
  expect(summaries().map(({ fields, level }) => [fields['errno'], level])).toEqual([
    [500, 40],
    [500, 40],
    [500, 40],
  ]);
});

test('node:http: the function of the application gets the error, the request and the response', async () => {
  const { logger, summaries } = collect();
  const reported: unknown[] = [];
  const server = createServer((_req, res) => res.end('hello'));
  new NodeHealth(server, {
    logger,
    errorEndpoint: {
      token,
      onError(error, req, res) {
        reported.push(error, req.url);
        res.writeHead(503).end('handled by the application');
      },
    },
  });
  const origin = await listening(server);
  await expectHandled(origin, summaries);
  expect(reported).toEqual([onPurpose, '/__error__']);
  expect(await (await fetch(`${origin}/__error__`)).text()).toBe('hello');
});

class EverythingFilter implements ExceptionFilter {
  readonly adapter: AbstractHttpAdapter;
  readonly reported: unknown[];
  constructor(adapter: AbstractHttpAdapter, reported: unknown[]) {
    this.adapter = adapter;
    this.reported = reported;
  }
  catch(exception: unknown, host: ArgumentsHost) {
    this.reported.push(exception);
    this.adapter.reply(host.switchToHttp().getResponse(), 'handled by the application', 503);
  }
}
Catch()(EverythingFilter);

test.each<[string, () => AbstractHttpAdapter]>([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('NestJS on %s: global filters hear of it, under a prefix and before guards', async (_name, adapter) => {
  const { logger, summaries } = collect();
  const reported: unknown[] = [];
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  const settings = { BASE_DIR: tmpdir(), HEALTH_CHECKS: [], HEALTH_LOGGER: logger } as const;
  Module({ imports: [HealthModule.forRoot({ ...settings, HEALTH_ERROR_ENDPOINT_TOKEN: token })] })(AppModule);
  const app = await NestFactory.create(AppModule, adapter(), { logger: false, abortOnError: false });
  app.setGlobalPrefix('api');
  app.useGlobalGuards({ canActivate: () => false });
  app.useGlobalFilters(new EverythingFilter(app.get(HttpAdapterHost).httpAdapter, reported));
  await app.init();
  onTestFinished(() => app.close());
  if (_name === 'Fastify') await app.getHttpAdapter().getInstance().ready();
  await expectHandled(await listening(app.getHttpServer() as Server), summaries);
  expect(reported).toEqual([onPurpose]);
});
