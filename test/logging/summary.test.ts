import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogRecord } from 'lifesign';
import HealthMiddleware from 'lifesign/adonisjs/health_middleware';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as KoaHealth } from 'lifesign/koa';
import { Health as NodeHealth } from 'lifesign/node';
import { collecting, listen, type RunningHost } from '../conformance/host.js';
import { recordsOf } from '../conformance/case.js';

let running: RunningHost | undefined;
afterEach(() => running?.close());

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('t is the time of this very request', async () => {
  const { options, records } = collecting({});
  const app = express();
  const health = new ExpressHealth(app, options);
  app.get('/slow', (_req, res) => void setTimeout(() => res.send('x'), 60));
  app.get('/fast', (_req, res) => void res.send('x'));
  const host = (running = await listen(createServer(app), health, records));
  const slow = fetch(`${host.origin}/slow`);
  await fetch(`${host.origin}/fast`);
  await slow;
  const found = await recordsOf(host, 'request.summary', 2);
  const timeOf = (path: string) => Number(found.find(({ fields }) => fields['path'] === path)?.fields['t']);
  expect(timeOf('/slow')).toBeGreaterThanOrEqual(58);
  expect(Number.isInteger(timeOf('/fast'))).toBe(true);
});

describe('whoever asks for the context of a request when it is over', () => {
  const tenant = new AsyncLocalStorage<string>();

  /** Two requests that end in the same turn, each in a context of the application's own. */
  async function askTwice(options: object): Promise<void> {
    const held: (() => void)[] = [];
    const server = createServer((req, res) => {
      tenant.run(String(req.url), () => {
        held.push(AsyncResource.bind(() => res.end('x')));
        if (held.length === 2) for (const release of held) release();
      });
    });
    const { origin, close } = await listen(server, new NodeHealth(server, options), []);
    await Promise.all([fetch(`${origin}/a`), fetch(`${origin}/b`)]);
    await wait(20);
    await close();
  }

  it('a logger of the application finds its own', async () => {
    const seen: unknown[] = [];
    await askTwice({
      logger: { log: ({ fields }: LogRecord) => seen.push([fields['path'], tenant.getStore()]) },
    });
    expect(seen.toSorted()).toEqual([
      ['/a', '/a'],
      ['/b', '/b'],
    ]);
  });

  it('so does the option uid, whatever the logger', async () => {
    const seen: unknown[] = [];
    const logger = {
      deferrable: true,
      log: ({ fields }: LogRecord) => seen.push([fields['path'], fields['uid']]),
    };
    await askTwice({ logger, uid: () => tenant.getStore() });
    expect(seen.toSorted()).toEqual([
      ['/a', '/a'],
      ['/b', '/b'],
    ]);
  });

  it('a deferrable logger has the id and the time of each request all the same', async () => {
    const seen: LogRecord[] = [];
    await askTwice({ logger: { deferrable: true, log: (record: LogRecord) => seen.push(record) } });
    expect(seen.map(({ fields }) => fields['path']).toSorted()).toEqual(['/a', '/b']);
    expect(new Set(seen.map(({ fields }) => fields['rid'])).size).toBe(2);
    for (const { time, fields } of seen) {
      expect(Math.abs(Date.now() - time)).toBeLessThan(60_000);
      expect(fields['t']).toBeGreaterThanOrEqual(0);
    }
  });
});

/** Where each framework has its user. */
const users: Readonly<Record<string, (options: object) => Promise<RequestListener>>> = {
  "Express' request.user": async (options) => {
    const app = express();
    new ExpressHealth(app, options);
    return app.use((req, res) => {
      Object.assign(req, { user: { id: 'ada' } });
      res.send('x');
    });
  },
  "Fastify's request.user": async (options) => {
    const app = Fastify();
    new FastifyHealth(app, options);
    app.decorateRequest('user', null);
    app.get('/', (request) => Object.assign(request, { user: { id: 'ada' } }) && 'x');
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
  "Koa's ctx.state.user": async (options) => {
    const app = new Koa();
    new KoaHealth(app, options);
    app.use((ctx) => {
      ctx.state['user'] = { id: 'ada' };
      ctx.body = 'x';
    });
    return app.callback();
  },
  "AdonisJS' ctx.auth.user": async (options) => {
    const health = new NodeHealth(undefined, options);
    const containerResolver = { hasBinding: () => true, make: async () => health };
    return (request, response) => {
      const auth = { user: undefined as unknown };
      const ctx = { containerResolver, request: { request }, response: { response }, auth };
      void new HealthMiddleware().handle(ctx as never, async () => {
        ctx.auth.user = { id: 'ada' };
        response.end();
      });
    };
  },
};
it.each(Object.entries(users))('uid of %s', async (_where, make) => {
  const { options, records } = collecting({});
  running = await listen(createServer(await make(options)), new NodeHealth(undefined, options), records);
  await fetch(running.origin);
  const [record] = await recordsOf(running, 'request.summary', 1);
  expect(record?.fields['uid']).toBe('ada');
});
