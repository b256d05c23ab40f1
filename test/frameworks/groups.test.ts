import 'reflect-metadata';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { afterEach, describe, expect, test } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as KoaHealth } from 'lifesign/koa';
import { Health as NestHealth, HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { Health as NodeHealth } from 'lifesign/node';
import { adonisApp, startAdonis } from '../conformance/hosts/adonisjs.js';
import { until } from '../core/waiting.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const groups = { payments: ['stripe'] };
type Options = Pick<HealthOptions, 'groups' | 'checkOptions'>;

interface Registering {
  check(name: string, check: () => []): unknown;
}
/** Starts an application with options that name the check `stripe`; `prepare` registers checks where its users would. */
type Start = (options: Options, prepare: (health: Registering) => void) => Promise<unknown>;

const frameworks: readonly (readonly [string, Start])[] = [
  [
    'Express',
    async (options, prepare) => {
      const app = express();
      prepare(new ExpressHealth(app, { ...options, logger: false }));
      const server = app.listen(0);
      ends.push(() => server.close());
    },
  ],
  [
    'Koa',
    async (options, prepare) => {
      const app = new Koa();
      prepare(new KoaHealth(app, { ...options, logger: false }));
      const server = app.listen(0);
      ends.push(() => server.close());
    },
  ],
  [
    'node:http',
    async (options, prepare) => {
      const server = createServer();
      prepare(new NodeHealth(server, { ...options, logger: false }));
      server.listen(0);
      ends.push(() => server.close());
    },
  ],
  [
    'Fastify',
    async (options, prepare) => {
      const app = Fastify();
      prepare(new FastifyHealth(app, { ...options, logger: false }));
      await app.ready();
    },
  ],
  [
    'NestJS',
    async (options, prepare) => {
      const settings = { ...options, BASE_DIR: tmpdir(), HEALTH_CHECKS: [], logger: false } as const;
      class AppModule {
        readonly health: NestHealth;
        constructor(health: NestHealth) {
          this.health = health;
        }
        configure(consumer: MiddlewareConsumer) {
          consumer.apply(HealthMiddleware).forRoutes('{*path}');
        }
        onModuleInit() {
          prepare(this.health);
        }
      }
      Module({ imports: [HealthModule.forRoot(settings)] })(AppModule);
      Reflect.defineMetadata('design:paramtypes', [NestHealth], AppModule);
      const app = await NestFactory.create(AppModule, new ExpressAdapter(), {
        logger: false,
        abortOnError: false,
      });
      ends.push(() => app.close());
      await app.init();
    },
  ],
  [
    'AdonisJS',
    async (options, prepare) => {
      const settings = { ...options, BASE_DIR: tmpdir(), HEALTH_CHECKS: [], logger: false } as const;
      const app = await adonisApp(settings);
      ends.push(() => app.terminate());
      await startAdonis(app, prepare);
    },
  ],
];

describe.each(frameworks)('%s', (_name, start) => {
  test.each<[Options, string]>([
    [{ groups }, 'Group "payments" names "stripe", but no check has that name. Did you mean "strpe"?'],
    [{ checkOptions: { stripe: { timeout: 5 } } }, 'has options for "stripe"'],
  ])('%j for a check that is not registered is refused at start', async (options, message) => {
    const started = start(options, (health) => health.check('strpe', () => []));
    await expect(started).rejects.toMatchObject({ code: 'LIFESIGN_CHECK_UNKNOWN' });
    await expect(started).rejects.toThrow(message);
  });

  test('groups of checks that are registered before the start are taken', async () => {
    await start({ groups }, (health) => health.check('stripe', () => []));
  });
});

test('groups are served on the health port, and with healthPortOnly nowhere else', async () => {
  const lines: string[] = [];
  const server = createServer((_req, res) => res.writeHead(418).end());
  const health = new NodeHealth(server, {
    groups,
    healthPort: 0,
    healthPortOnly: true,
    logger: { log: ({ msg = '' }) => void lines.push(msg) },
  });
  ends.push(
    () => health.close(),
    () => server.close(),
  );
  health.check('stripe', () => []);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = () => lines.map((line) => /health endpoints on .*:(\d+)$/.exec(line)?.[1]).find(Boolean);
  await until(() => port() !== undefined);
  const statusOf = async (at: string | number | undefined) =>
    (await fetch(`http://127.0.0.1:${at}/__heartbeat__/payments`)).status;
  expect(await statusOf(port())).toBe(200);
  expect(await statusOf((server.address() as AddressInfo).port)).toBe(418);
});
