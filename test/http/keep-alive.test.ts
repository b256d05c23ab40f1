import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { Health as NodeHealth } from 'lifesign/node';

interface Options {
  readonly keepAlive?: '65s';
  readonly summary?: boolean;
  readonly logger: false;
}
type Start = (options: Options) => Promise<{ health: { close(): void }; server: Server }>;

const listening = (server: Server) =>
  new Promise<Server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

const frameworks: readonly (readonly [string, Start])[] = [
  [
    'node',
    async (options) => {
      const server = createServer((_req, res) => res.end());
      return { health: new NodeHealth(server, options), server: await listening(server) };
    },
  ],
  [
    'node, listener',
    async (options) => {
      const health = new NodeHealth(options);
      return { health, server: await listening(createServer(health.listener((_req, res) => res.end()))) };
    },
  ],
  [
    'Express',
    async (options) => {
      const app = express();
      const health = new ExpressHealth(app, options);
      return {
        health,
        server: await new Promise<Server>((resolve) => {
          const server = app.listen(0, '127.0.0.1', () => resolve(server));
        }),
      };
    },
  ],
  [
    'Express on a server of the application',
    async (options) => {
      const app = express();
      return { health: new ExpressHealth(app, options), server: await listening(createServer(app)) };
    },
  ],
  [
    'Koa',
    async (options) => {
      const app = new Koa();
      const health = new KoaHealth(app, options);
      return { health, server: await listening(createServer(app.callback())) };
    },
  ],
  [
    'Fastify',
    async (options) => {
      const app = Fastify();
      const health = new FastifyHealth(app, options);
      await app.listen({ port: 0, host: '127.0.0.1' });
      return { health, server: app.server };
    },
  ],
  [
    'Hono',
    async (options) => {
      const app = new Hono();
      const health = new HonoHealth(app, options);
      const server = await new Promise<Server>((resolve) => {
        const made = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () =>
          resolve(made as Server),
        );
      });
      return { health, server };
    },
  ],
];

async function run(start: Start, options: Options) {
  const running = await start(options);
  onTestFinished(() => {
    running.health.close();
    running.server.close();
    running.server.closeAllConnections();
  });
  await fetch(`http://127.0.0.1:${(running.server.address() as AddressInfo).port}/orders`);
  return running;
}

describe.each(frameworks)('keepAlive on %s', (_name, start) => {
  it.each([true, false])('sets the timeouts, and close gives them back (summary: %s)', async (summary) => {
    const before = (await run(start, { summary, logger: false })).server;
    const { health, server } = await run(start, { keepAlive: '65s', summary, logger: false });
    expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([65_000, 66_000]);
    health.close();
    expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([
      before.keepAliveTimeout,
      before.headersTimeout,
    ]);
  });
});

// A new connection is not closed before an old one, as far as requestTimeout allows; 0 is no limit.
test.each([
  { headers: 60_000, request: 300_000, becomes: 66_000 },
  { headers: 90_000, request: 300_000, becomes: 90_000 },
  { headers: 10_000, request: 30_000, becomes: 30_000 },
  { headers: 0, request: 300_000, becomes: 0 },
  { headers: 60_000, request: 0, becomes: 66_000 },
])('the timeouts fit together, and what the application sets later stays: %j', async (timeouts) => {
  const server = createServer((_req, res) => res.end());
  Object.assign(server, { headersTimeout: timeouts.headers, requestTimeout: timeouts.request });
  const start = async () => {
    const health = new NodeHealth(server, { keepAlive: '65s', logger: false });
    return { health, server: server.listening ? server : await listening(server) };
  };
  const { health } = await run(start, { logger: false });
  expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([65_000, timeouts.becomes]);
  server.keepAliveTimeout = 7000;
  health.close();
  expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([7000, timeouts.headers]);
});
