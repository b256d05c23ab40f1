import 'reflect-metadata';
import { Router as KoaRouter } from '@koa/router';
import { Controller, Get, type MiddlewareConsumer, Module, Post } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import type Koa from 'koa';
import Koa2 from 'koa2';
import { expect, test } from 'vitest';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { createServer, type RequestListener } from 'node:http';
import { adonisApp, startAdonis } from '../conformance/hosts/adonisjs.js';
import { collect, listening } from '../http/serving.js';

type Logger = ReturnType<typeof collect>['logger'];

async function koaApp(app: Koa, router: KoaRouter, logger: Logger): Promise<void> {
  new KoaHealth(app, { logger, probes: true });
  app.use(router.routes()).use(router.allowedMethods());
  const origin = await listening(createServer(app.callback() as RequestListener));
  for (const each of ['/', '/']) await (await fetch(origin + each)).text();
}

async function nestApp(adapter: AbstractHttpAdapter, path: string, logger: Logger): Promise<void> {
  class Own {
    own() {
      return 'own';
    }
  }
  Controller()(Own);
  const decorate = path === '/livez' ? Post(path) : Get(path);
  decorate(Own.prototype, 'own', Object.getOwnPropertyDescriptor(Own.prototype, 'own') ?? {});
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  const settings = { BASE_DIR: process.cwd(), logger: logger, probes: true };
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [Own] })(AppModule);
  const app = await NestFactory.create(AppModule, adapter, { logger: false, abortOnError: false });
  await app.init();
  await app.close();
}

/** With and without a route of its own at a path of ours. */
const starts = {
  async express(path: string, logger: Logger) {
    const app = express();
    new ExpressHealth(app, { logger, probes: true });
    app.get(path, (_req, res) => void res.send('own'));
    const origin = await listening(createServer(app));
    for (const each of ['/', '/']) await (await fetch(origin + each)).text();
  },
  async 'express, in a router'(path: string, logger: Logger) {
    const app = express();
    new ExpressHealth(app, { logger, probes: true });
    const [outer, inner] = [express.Router(), express.Router()];
    app.use('/api', outer).use(inner);
    outer.get(['/__version__', '/livez'], (_req, res) => void res.send('own, elsewhere'));
    inner.post(['/own', path], (_req, res) => void res.send('own'));
    const origin = await listening(createServer(app));
    for (const each of ['/', '/']) await (await fetch(origin + each)).text();
  },
  async fastify(path: string, logger: Logger) {
    const app = Fastify();
    new FastifyHealth(app, { logger, probes: true });
    app.get(path, async () => 'own');
    await app.ready();
    await app.close();
  },
  async 'koa 2, in a router inside a router'(path: string, logger: Logger) {
    const [outer, elsewhere, inner] = [new KoaRouter(), new KoaRouter({ prefix: '/api' }), new KoaRouter()];
    // A middleware of a router is not a route.
    outer.use(['/__version__', '/livez'], async (_ctx, next) => next());
    elsewhere.all(['/__version__', '/livez'], (ctx) => void (ctx.body = 'own, elsewhere'));
    inner.delete(path, (ctx) => void (ctx.body = 'own'));
    outer.use(elsewhere.routes(), inner.routes());
    await koaApp(new Koa2(), outer, logger);
  },
  'nestjs on express': (path: string, logger: Logger) => nestApp(new ExpressAdapter(), path, logger),
  async adonisjs(path: string, logger: Logger) {
    const settings = { BASE_DIR: process.cwd(), logger: logger, probes: true };
    const app = await adonisApp(settings);
    const router = await app.container.make('router');
    router.get(path.slice(1), () => 'own');
    router.get('/:any', () => 'own, elsewhere');
    await startAdonis(app);
    await app.terminate();
  },
  async hono(path: string, logger: Logger) {
    const app = new Hono();
    new HonoHealth(app, { logger, probes: true });
    app.get(path, (c) => c.text('own'));
    for (const each of ['/', '/']) await app.request(each);
  },
};

test.each(Object.entries(starts))(
  '%s: a route that is never reached is warned of, once',
  async (_name, start) => {
    for (const path of ['/__version__', '/livez', '/orders']) {
      const { records, logger } = collect();
      await start(path, logger);
      const warned = records.filter(({ msg }) => msg?.startsWith(`lifesign answers ${path} before`));
      expect(warned.map(({ level }) => level)).toEqual(path === '/orders' ? [] : [30]);
    }
  },
);
