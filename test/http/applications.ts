import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import { serve as serveHono } from '@hono/node-server';
import { type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { onTestFinished } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { Health as AdonisHealth } from 'lifesign/adonisjs';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { Health as NestHealth, HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { Health as NodeHealth } from 'lifesign/node';
import { adonisApp, startAdonis } from '../conformance/hosts/adonisjs.js';

interface Registering {
  check(name: string, check: () => []): unknown;
  close(): void;
}

/** An application that is started, and listens when it is told to. */
export interface Application {
  readonly health: { close(): void };
  listen(at?: number | string): Promise<Server>;
}

/** Starts one with these options; `prepare` registers checks where its users would. Closed with the test. */
export type Make = (
  options: Pick<HealthOptions, Exclude<keyof HealthOptions, 'uid'>>,
  prepare?: (health: Registering) => unknown,
) => Promise<Application>;

const places = (at: number | string) =>
  typeof at === 'string' ? { path: at } : { port: at, host: '127.0.0.1' };

/** Of whatever listens as a server of Node does. */
const application = (
  health: { close(): void },
  app: { listen(at: object, done: () => void): Server },
): Application => ({
  health,
  listen: (at = 0) =>
    new Promise((resolve) => {
      const server = app.listen(places(at), () => resolve(server));
      closing(health, server);
    }),
});

function closing(health: { close(): void }, server: Server): void {
  onTestFinished(() => {
    health.close();
    server.close();
    server.closeAllConnections();
  });
}

/** By their names. Each answers 418 to what is not for lifesign, but NestJS and AdonisJS, which answer 404. */
export const applications = {
  async node(options, prepare) {
    const server = createServer((_req, res) => res.writeHead(418).end('app'));
    const health = new NodeHealth(server, options);
    prepare?.(health);
    return application(health, server);
  },
  async Express(options, prepare) {
    const app = express();
    const health = new ExpressHealth(app, options);
    prepare?.(health);
    app.use((_req, res) => void res.status(418).send('app'));
    return application(health, app);
  },
  async Koa(options, prepare) {
    const app = new Koa();
    const health = new KoaHealth(app, options);
    prepare?.(health);
    app.use((ctx) => {
      ctx.status = 418;
    });
    return application(health, app);
  },
  async Fastify(options, prepare) {
    const app = Fastify({ forceCloseConnections: true });
    const health = new FastifyHealth(app, options);
    prepare?.(health);
    app.all('*', async (_request, reply) => reply.code(418).send('app'));
    onTestFinished(() => app.close().then(() => undefined));
    await app.ready();
    return { health, listen: async (at = 0) => app.listen(places(at)).then(() => app.server) };
  },
  async Hono(options, prepare) {
    const app = new Hono();
    const health = new HonoHealth(app, options);
    prepare?.(health);
    return {
      health,
      listen: () =>
        new Promise((resolve) => {
          const made = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
            closing(health, made as Server);
            resolve(made as Server);
          });
        }),
    };
  },
  async NestJS(options, prepare) {
    class AppModule {
      readonly health: NestHealth;
      constructor(health: NestHealth) {
        this.health = health;
      }
      configure(consumer: MiddlewareConsumer) {
        consumer.apply(HealthMiddleware).forRoutes('{*path}');
      }
      onModuleInit() {
        prepare?.(this.health);
      }
    }
    const settings = { BASE_DIR: process.cwd(), HEALTH_CHECKS: [], ...options };
    Module({ imports: [HealthModule.forRoot(settings)] })(AppModule);
    Reflect.defineMetadata('design:paramtypes', [NestHealth], AppModule);
    const app = await NestFactory.create(AppModule, {
      logger: false,
      abortOnError: false,
      forceCloseConnections: true,
    });
    onTestFinished(() => app.close());
    await app.init();
    return {
      health: app.get(NestHealth),
      async listen(at = 0) {
        await (typeof at === 'string' ? app.listen(at) : app.listen(at, '127.0.0.1'));
        return app.getHttpServer() as Server;
      },
    };
  },
  async AdonisJS(options, prepare) {
    const app = await adonisApp({ BASE_DIR: process.cwd(), HEALTH_CHECKS: [], ...options });
    onTestFinished(() => app.terminate());
    const server = await startAdonis(app, prepare);
    return application(await app.container.make(AdonisHealth), server);
  },
} satisfies Record<string, Make>;
