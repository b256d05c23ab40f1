import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Router } from '@koa/router';
import { Controller, Get, type MiddlewareConsumer, Module, Param } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express5 from 'express';
import express4 from 'express4';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { afterEach, expect, test, vi } from 'vitest';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { adonisHosts } from '../conformance/hosts/adonisjs.js';
import { parse } from '../metrics/parse.js';

const options = { metrics: { requests: true }, logger: false, summary: false } as const;
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function listening(server: Server): Promise<string> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Requests as they are counted: `GET /users/:id 200 × 2`. */
async function countsAfter(origin: string, requests: readonly string[]): Promise<readonly string[]> {
  for (const request of requests) {
    const [method, path] = request.split(' ');
    await (await fetch(`${origin}${path}`, { method: method ?? 'GET' })).text();
  }
  return vi.waitFor(async () => {
    const families = parse(await (await fetch(`${origin}/__metrics__`)).text());
    const samples = families.get('http_server_request_duration_seconds')?.samples ?? [];
    const counts = samples.filter(({ name }) => name.endsWith('_count'));
    expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(requests.length);
    return counts
      .map(({ labels, value }) => `${labels['method']} ${labels['route']} ${labels['code']} × ${value}`)
      .toSorted();
  }, 30_000);
}

test.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s: a request in the moment in which the Health is made has its route', async (_, express) => {
  const make = () => {
    const app = express();
    new ExpressHealth(app, options);
    const users = express.Router({ mergeParams: true });
    users.get('/posts', (_req, res) => void res.json({}));
    app.use('/users/:id', users);
    return app;
  };
  let made: ReturnType<typeof make> | undefined;
  const server = createServer((req, res) => void (made ??= make())(req, res));
  const counts = await countsAfter(await listening(server), ['GET /users/1/posts', 'GET /users/2/posts']);
  expect(counts).toEqual(['GET /users/:id/posts 200 × 2']);
});

test.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s: routes by their patterns, those of mounted routers too, whatever is sent', async (_, express) => {
  const app = express();
  new ExpressHealth(app, options);
  const posts = express.Router({ mergeParams: true });
  posts.get('/', (_req, res) => void res.json(res.req.params));
  posts.get('/:post', (_req, res) => void res.json({}));
  const users = express.Router({ mergeParams: true });
  users.get('/boom', () => {
    throw new Error('boom');
  });
  users.use('/posts', posts);
  users.get('/next', (_req, _res, next) => next());
  app.use('/users/:id', users);
  app.use('/v:major', users);
  app.use('/static', (_req, res) => void res.json({}));
  app.get(['/a', '/b'], (_req, res) => void res.json({}));
  app.get(/^\/re(x+)$/, (_req, res) => void res.json({}));
  app.use((_error: unknown, _req: unknown, res: { sendStatus(code: number): void }, _next: unknown) =>
    res.sendStatus(500),
  );
  const counts = await countsAfter(await listening(createServer(app)), [
    'GET /users/1/posts',
    'GET /users/2/posts/',
    'GET /USERS/3/POSTS',
    'GET /users/a%20b/posts/9?secret=1',
    'GET /users/users/posts',
    'GET /users/7/boom',
    'GET /users/7/next',
    'GET /v2/posts/1',
    'GET /static/a/b',
    'GET /b',
    'GET /rexxx',
    'GET /nothing/1',
    'DELETE /nothing/2',
  ]);
  expect(counts).toEqual(
    [
      'GET /:id/users/posts 200 × 1',
      'GET /users/:id/posts 200 × 3',
      'GET /users/:id/posts/:post 200 × 1',
      'GET /users/:id/boom 500 × 1',
      'GET unknown 404 × 2',
      'GET /*/*/:post 200 × 1',
      'GET unknown 200 × 1',
      'GET /a|/b 200 × 1',
      'GET /^\\/re(x+)$/ 200 × 1',
      'DELETE unknown 404 × 1',
    ].toSorted(),
  );
});

test('Fastify', async () => {
  const app = Fastify();
  new FastifyHealth(app, options);
  app.get('/users/:id', async () => ({}));
  app.register(async (plugin) => plugin.get('/files/*', async () => ({})), { prefix: '/v1' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  open.push(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const counts = await countsAfter(`http://127.0.0.1:${port}`, [
    'GET /users/1',
    'GET /users/2',
    'GET /v1/files/a/b',
    'GET /nothing/1',
  ]);
  expect(counts).toEqual(['GET /users/:id 200 × 2', 'GET /v1/files/* 200 × 1', 'GET unknown 404 × 1']);
});

test('Koa with its router', async () => {
  const app = new Koa();
  new KoaHealth(app, options);
  const posts = new Router().get('/posts/:post', (context) => void (context.body = {}));
  const users = new Router({ prefix: '/users' }).get('/:id', (context) => void (context.body = {}));
  users.use('/:id', posts.routes());
  app.use(users.routes());
  app.use(new Router().get(/^\/files\/.+$/, (context) => void (context.body = {})).routes());
  const counts = await countsAfter(await listening(createServer(app.callback())), [
    'GET /users/1',
    'GET /users/2/posts/3',
    'GET /files/a/b',
    'GET /files/c',
    'GET /nothing/1',
  ]);
  expect(counts).toEqual([
    'GET /^\\/files\\/.+$/ 200 × 2',
    'GET /users/:id 200 × 1',
    'GET /users/:id/posts/:post 200 × 1',
    'GET unknown 404 × 1',
  ]);
});

test('Hono', async () => {
  const app = new Hono();
  app.use('*', async (_context, next) => next());
  const users = new Hono().get('/:id', (context) => context.json({}));
  app.route('/users', users);
  app.get(
    '/guarded',
    async (_context, next) => next(),
    (context) => context.json({}),
  );
  app.get('/gone/:id', (context) => context.json({}, 404));
  new HonoHealth(app, options);
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await new Promise((resolve) => server.once('listening', resolve));
  const counts = await countsAfter(await listening(server), [
    'GET /users/1',
    'GET /users/2',
    'GET /guarded',
    'GET /gone/1',
    'GET /nothing/1',
  ]);
  expect(counts).toEqual([
    'GET /gone/:id 404 × 1',
    'GET /guarded 200 × 1',
    'GET /users/:id 200 × 2',
    'GET unknown 404 × 1',
  ]);
});

test.each<[string, () => AbstractHttpAdapter]>([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('NestJS on %s', async (_, adapter) => {
  class Users {
    find(id: string) {
      return { id };
    }
  }
  Controller('users')(Users);
  Param('id')(Users.prototype, 'find', 0);
  Get(':id')(Users.prototype, 'find', Reflect.getOwnPropertyDescriptor(Users.prototype, 'find') ?? {});
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  const settings = {
    BASE_DIR: process.cwd(),
    DEBUG: true,
    HEALTH_CHECKS: [],
    HEALTH_METRICS_REQUESTS: true,
    HEALTH_METRICS: true,
    HEALTH_LOGGER: false,
  } as const;
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [Users] })(AppModule);
  const app = await NestFactory.create(AppModule, adapter(), { logger: false, forceCloseConnections: true });
  app.setGlobalPrefix('api');
  open.push(() => app.close());
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  const counts = await countsAfter(`http://127.0.0.1:${port}`, [
    'GET /api/users/1',
    'GET /api/users/2',
    'GET /nothing/1',
  ]);
  expect(counts).toEqual(['GET /api/users/:id 200 × 2', 'GET unknown 404 × 1']);
});

test.each(adonisHosts)('$name', async (host) => {
  const running = await host.start({ options: { ...options } });
  open.push(() => running.close());
  const counts = await countsAfter(running.origin, ['GET /rid', 'GET /nothing/1']);
  expect(counts).toEqual(['GET /rid 200 × 1', 'GET unknown 404 × 1']);
});
