import express from 'express';
import express4 from 'express4';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { Health as ExpressHealth } from '../../src/frameworks/express.js';
import { Health as FastifyHealth } from '../../src/frameworks/fastify/index.js';
import { Health as HonoHealth } from '../../src/frameworks/hono.js';
import { createServer } from 'node:http';
import { collect, listening } from '../http/serving.js';

/** With and without a route of its own at a path of ours. */
const starts = {
  async express(path: string, logger: ReturnType<typeof collect>['logger']) {
    const app = express();
    new ExpressHealth(app, { logger, probes: true });
    app.get(path, (_req, res) => void res.send('own'));
    const origin = await listening(createServer(app));
    for (const each of ['/', '/']) await (await fetch(origin + each)).text();
  },
  async express4(path: string, logger: ReturnType<typeof collect>['logger']) {
    const app = express4();
    app.get(path, (_req, res) => void res.send('own'));
    new ExpressHealth(app, { logger, probes: true });
    const origin = await listening(createServer(app));
    for (const each of ['/', '/']) await (await fetch(origin + each)).text();
  },
  async fastify(path: string, logger: ReturnType<typeof collect>['logger']) {
    const app = Fastify();
    new FastifyHealth(app, { logger, probes: true });
    app.get(path, async () => 'own');
    await app.ready();
    await app.close();
  },
  async hono(path: string, logger: ReturnType<typeof collect>['logger']) {
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
