// The target of a request is matched once, from its first look to its summary.
import { createServer } from 'node:http';
import { type AddressInfo, type Server } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Logger, LogRecord } from 'lifesign';
import { Routes } from '../../src/core/routes.js';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { Health as NodeHealth } from 'lifesign/node';
import { until } from '../core/waiting.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) await end();
});

async function listening(server: Pick<Server, 'close' | 'listening' | 'once' | 'address'>): Promise<number> {
  ends.push(() => server.close());
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

interface Options {
  readonly page: boolean;
  readonly logger: Logger;
}

const frameworks: readonly (readonly [string, (options: Options) => Promise<number>])[] = [
  [
    'node:http',
    async (options) => {
      const server = createServer((_req, res) => res.end('app'));
      new NodeHealth(server, options);
      return listening(server.listen(0, '127.0.0.1'));
    },
  ],
  [
    'Express',
    async (options) => {
      const app = express();
      new ExpressHealth(app, options);
      app.get('/app', (_req, res) => void res.end('app'));
      return listening(app.listen(0, '127.0.0.1'));
    },
  ],
  [
    'Koa',
    async (options) => {
      const app = new Koa();
      new KoaHealth(app, options);
      app.use((context) => void (context.body = 'app'));
      return listening(app.listen(0, '127.0.0.1'));
    },
  ],
  [
    'Fastify',
    async (options) => {
      const app = Fastify();
      new FastifyHealth(app, options);
      app.get('/app', async () => 'app');
      await app.listen({ port: 0, host: '127.0.0.1' });
      ends.push(() => app.close());
      return (app.server.address() as AddressInfo).port;
    },
  ],
  [
    'Hono',
    async (options) => {
      const app = new Hono();
      new HonoHealth(app, options);
      app.get('/app', (context) => context.text('app'));
      return listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }));
    },
  ],
];

describe.each(frameworks)('on %s', (_name, start) => {
  test.each(['/app', '/__lbheartbeat__', '/__heartbeat__?x', '/__health__.json'])(
    '%s is matched once',
    async (target) => {
      const summaries: LogRecord[] = [];
      const log = (record: LogRecord) => void summaries.push(record);
      const port = await start({ page: true, logger: { log } });
      const match = vi.spyOn(Routes.prototype, 'match');
      const response = await fetch(`http://127.0.0.1:${port}${target}`, { headers: { connection: 'close' } });
      await response.text();
      await until(() => summaries.some(({ logger }) => logger === 'request.summary'));
      expect(response.status).toBe(200);
      expect(match).toHaveBeenCalledTimes(1);
    },
  );
});
