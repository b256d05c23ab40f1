// An application of one framework with a watchdog, from the sources: frameworks-app.ts BUILT FRAMEWORK GATE
import { existsSync, writeSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MiddlewareConsumer } from '@nestjs/common';
import { stdoutLogger } from 'lifesign/logging';

const [, , , framework = '', gate = ''] = process.argv;

/** Blocks until a file is there. */
function work(): string {
  while (!existsSync(gate));
  return 'done';
}
const options = { watchdog: { port: 0, busyAfter: 300 }, logger: stdoutLogger({ format: 'json' }) };

const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const frameworks: Readonly<Record<string, () => Promise<number>>> = {
  async node() {
    const { Health } = await import('lifesign/node');
    const server = createServer((_req, res) => res.end(work()));
    new Health(server, options);
    return listen(server);
  },
  async express() {
    const { default: express } = await import('express');
    const { Health } = await import('lifesign/express');
    const app = express();
    new Health(app, options);
    app.get('/block', (_req, res) => void res.send(work()));
    return listen(createServer(app));
  },
  async koa() {
    const { default: Koa } = await import('koa');
    const { Health } = await import('lifesign/koa');
    const app = new Koa();
    new Health(app, options);
    app.use((ctx) => {
      ctx.body = work();
    });
    return listen(createServer(app.callback()));
  },
  async fastify() {
    const { default: Fastify } = await import('fastify');
    const { Health } = await import('lifesign/fastify');
    const app = Fastify();
    new Health(app, options);
    app.get('/block', async () => work());
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },
  async hono() {
    const { serve } = await import('@hono/node-server');
    const { Hono } = await import('hono');
    const { Health } = await import('lifesign/hono');
    const app = new Hono();
    new Health(app, options);
    app.get('/block', (c) => c.text(work()));
    return new Promise((resolve) =>
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port)),
    );
  },
  async fetch() {
    const { serve } = await import('@hono/node-server');
    const { Health } = await import('lifesign/fetch');
    const fetch = new Health(undefined, options).wrap(() => new Response(work()));
    return new Promise((resolve) =>
      serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port)),
    );
  },
  async nestjs() {
    await import('reflect-metadata');
    const { Controller, Get, Module } = await import('@nestjs/common');
    const { NestFactory } = await import('@nestjs/core');
    const { HealthMiddleware, HealthModule } = await import('lifesign/nestjs');
    class BlockController {
      block() {
        return work();
      }
    }
    const method = Object.getOwnPropertyDescriptor(BlockController.prototype, 'block') ?? {};
    Get('block')(BlockController.prototype, 'block', method);
    Controller()(BlockController);
    class AppModule {
      configure(consumer: MiddlewareConsumer) {
        consumer.apply(HealthMiddleware).forRoutes('{*path}');
      }
    }
    Module({
      imports: [
        HealthModule.forRoot({
          BASE_DIR: import.meta.dirname,
          HEALTH_CHECKS: [],
          logger: options.logger,
          watchdog: { port: 0, busyAfter: 300 },
        }),
      ],
      controllers: [BlockController],
    })(AppModule);
    const app = await NestFactory.create(AppModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    return app.getHttpServer().address().port;
  },
  async adonisjs() {
    const { adonisApp, startAdonis } = await import('../conformance/hosts/adonisjs.js');
    const app = await adonisApp({
      BASE_DIR: import.meta.dirname,
      HEALTH_CHECKS: [],
      logger: options.logger,
      watchdog: options.watchdog,
    });
    const router = await app.container.make('router');
    router.get('/block', () => work());
    return listen(await startAdonis(app));
  },
};

const port = await frameworks[framework]?.();
writeSync(2, `PORT ${port}\n`);
