import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, type MiddlewareConsumer } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogRecord, ProbesOptions } from 'lifesign';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as KoaHealth } from 'lifesign/koa';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { Health as NodeHealth } from 'lifesign/node';
import { adonisApp, startAdonis } from '../../conformance/hosts/adonisjs.js';
import { until } from '../../core/waiting.js';
import { probeBody } from '../../probes/schema.js';

interface Options {
  readonly healthPort: number;
  readonly probes: ProbesOptions;
  readonly logger: { log(record: LogRecord): void };
}
/** An application that is made, and listens when it is told to. */
interface Made {
  listen(at: number | string): Promise<unknown>;
  close(): unknown;
}

function served(server: Server, close: () => void = () => {}): Made {
  return {
    listen: (at) => new Promise<void>((resolve) => server.listen(at, () => resolve())),
    close() {
      close();
      server.close();
      server.closeAllConnections();
    },
  };
}
const settingsOf = ({ healthPort, probes, logger }: Options) => ({
  BASE_DIR: process.cwd(),
  HEALTH_CHECKS: [],
  healthPort,
  probes,
  logger: logger,
});

const frameworks: readonly (readonly [string, (options: Options) => Promise<Made>])[] = [
  [
    'node',
    async (options) => {
      const server = createServer();
      const health = new NodeHealth(server, options);
      return served(server, () => health.close());
    },
  ],
  [
    'Express',
    async (options) => {
      const app = express();
      const health = new ExpressHealth(app, options);
      return served(createServer(app), () => health.close());
    },
  ],
  [
    'Koa',
    async (options) => {
      const app = new Koa();
      const health = new KoaHealth(app, options);
      return served(createServer(app.callback()), () => health.close());
    },
  ],
  [
    'Fastify',
    async (options) => {
      const app = Fastify();
      const health = new FastifyHealth(app, options);
      await app.ready();
      return {
        listen: (at) => app.listen(typeof at === 'string' ? { path: at } : { port: at }),
        async close() {
          health.close();
          await app.close();
        },
      };
    },
  ],
  [
    'NestJS',
    async (options) => {
      class AppModule {
        configure(consumer: MiddlewareConsumer) {
          consumer.apply(HealthMiddleware).forRoutes('{*path}');
        }
      }
      Module({ imports: [HealthModule.forRoot(settingsOf(options))] })(AppModule);
      const app = await NestFactory.create(AppModule, { logger: false, forceCloseConnections: true });
      await app.init();
      return { listen: (at) => app.listen(at), close: () => app.close() };
    },
  ],
  [
    'AdonisJS',
    async (options) => {
      const app = await adonisApp(settingsOf(options));
      const server = await startAdonis(app);
      return served(server, () => void app.terminate());
    },
  ],
];

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe.each(frameworks)('the probes on the health port of %s', (_name, make) => {
  async function made(probes: ProbesOptions) {
    const records: LogRecord[] = [];
    const logger = { log: (record: LogRecord) => void records.push(record) };
    const app = await make({ healthPort: 0, probes, logger });
    ends.push(() => app.close());
    const told = () =>
      records.map(({ msg }) => /health endpoints on 0\.0\.0\.0:(\d+)$/.exec(msg ?? '')?.[1]).find(Boolean);
    await until(() => told() !== undefined);
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${told()}${path}`);
      return probeBody(answer.status, await answer.text());
    };
    return { app, ask };
  }
  const pass = { status: 'pass' };
  const notYet = { status: 'fail', reason: 'the application has not started' };
  const socket = () => {
    const directory = mkdtempSync(join(tmpdir(), 'lifesign-'));
    ends.push(() => rmSync(directory, { recursive: true, force: true }));
    return join(directory, 'app.sock');
  };

  it.each([
    ['a port', () => 0],
    ['a socket of the file system', socket],
  ])('pass once the application listens on %s, and not before', async (_where, where) => {
    const { app, ask } = await made({});
    for (let time = 0; time < 2; time += 1) {
      expect(await ask('/startupz')).toEqual(notYet);
      expect(await ask('/readyz')).toEqual(notYet);
      expect(await ask('/livez')).toEqual(pass);
    }
    await app.listen(where());
    for (const path of ['/startupz', '/readyz', '/livez']) expect(await ask(path)).toEqual(pass);
  });

  it("wait for health.started() with startWhen: 'called', though it listens", async () => {
    const { app, ask } = await made({ startWhen: 'called' });
    await app.listen(0);
    expect(await ask('/startupz')).toEqual(notYet);
    expect(await ask('/readyz')).toEqual(notYet);
    expect(await ask('/livez')).toEqual(pass);
  });
});
