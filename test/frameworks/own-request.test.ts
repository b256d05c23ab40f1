import { createServer } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { jwt, sign } from 'hono/jwt';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as expressEntry from 'lifesign/express';
import * as fastifyEntry from 'lifesign/fastify';
import * as fetchEntry from 'lifesign/fetch';
import * as honoEntry from 'lifesign/hono';
import * as koaEntry from 'lifesign/koa';
import * as nodeEntry from 'lifesign/node';
import { collect, listening, until } from '../http/serving.js';

type Session = { session?: { userId: string } };
type Ask = (path: string, headers?: Record<string, string>) => Promise<{ status: number; text: string }>;
type Order = 'first' | 'last';

const reading = async (response: Response) => ({ status: response.status, text: await response.text() });
const asking =
  (origin: string): Ask =>
  async (path, headers) =>
    reading(await fetch(origin + path, headers && { headers }));

/** What a session middleware puts on a request: the id of the user is the value of one header. */
const withSession = (request: object, user: unknown) =>
  void Object.assign(request, { session: { userId: String(user) } });
const caught = new Error('caught');

function fastifyApp(options: object, order: Order) {
  const app = Fastify();
  if (order === 'first') new fastifyEntry.Health(app, options);
  app.addHook('onRequest', async (request, reply) => {
    withSession(request, request.headers['x-user']);
    if (request.headers['x-user'] === undefined && !reply.sent) await reply.code(401).send();
  });
  app.get('/', () => 'home');
  app.get('/caught', async (request, reply) => {
    fastifyEntry.noteError(request, caught);
    return reply.code(500).send();
  });
  if (order === 'last') new fastifyEntry.Health(app, options);
  onTestFinished(() => app.close().then(() => undefined));
  return app;
}

type Start = (options: object, order: Order) => Ask | Promise<Ask>;

/**
 * Applications with a middleware that refuses strangers and a handler that catches what it threw. Each has a member that only the own
 * request of its framework has. Their Health is made before the middleware or after it.
 */
const hosts: Record<string, readonly [member: string, start: Start]> = {
  express: [
    'originalUrl',
    async (options, order) => {
      const app = express();
      if (order === 'first') new expressEntry.Health(app, options);
      app.use((req, res, next) => {
        withSession(req, req.get('x-user'));
        if (req.get('x-user') === undefined) res.sendStatus(401);
        else next();
      });
      app.get('/', (_req, res) => void res.send('home'));
      app.get('/caught', (req, res) => {
        expressEntry.noteError(req, caught);
        res.sendStatus(500);
      });
      if (order === 'last') new expressEntry.Health(app, options);
      return asking(await listening(createServer(app)));
    },
  ],
  fastify: [
    'raw',
    async (options, order) => asking(await fastifyApp(options, order).listen({ host: '127.0.0.1', port: 0 })),
  ],
  'fastify, injected': [
    'raw',
    (options, order) => {
      const app = fastifyApp(options, order);
      return async (url, headers) => {
        const { statusCode, body } = await app.inject({ url, ...(headers && { headers }) });
        return { status: statusCode, text: body };
      };
    },
  ],
  koa: [
    'cookies',
    async (options, order) => {
      const app = new Koa();
      if (order === 'first') new koaEntry.Health(app, options);
      app.use(async (ctx, next) => {
        withSession(ctx, ctx.get('x-user'));
        if (ctx.get('x-user') === '') ctx.status = 401;
        else await next();
      });
      app.use((ctx) => {
        if (ctx.path === '/caught') koaEntry.noteError(ctx, caught);
        ctx.status = ctx.path === '/caught' ? 500 : 200;
        ctx.body = 'home';
      });
      // A callback made earlier is served too.
      const callback = app.callback();
      if (order === 'last') new koaEntry.Health(app, options);
      return asking(await listening(createServer(callback)));
    },
  ],
  hono: [
    'req',
    (options, order) => {
      const app = new Hono();
      if (order === 'first') new honoEntry.Health(app, options);
      app.use(async (c, next) => {
        withSession(c, c.req.header('x-user'));
        return c.req.header('x-user') === undefined ? c.body(null, 401) : next();
      });
      app.get('/', (c) => c.text('home'));
      app.get('/caught', (c) => {
        honoEntry.noteError(c, caught);
        return c.body(null, 500);
      });
      if (order === 'last') new honoEntry.Health(app, options);
      return async (path, headers) => reading(await app.request(path, headers && { headers }));
    },
  ],
  node: [
    'socket',
    async (options, order) => {
      const server = createServer();
      if (order === 'first') new nodeEntry.Health(server, options);
      server.on('request', (req, res) => {
        withSession(req, req.headers['x-user']);
        if (req.url === '/caught') nodeEntry.noteError({ request: { request: req } }, caught);
        res.statusCode = req.headers['x-user'] === undefined ? 401 : req.url === '/caught' ? 500 : 200;
        res.end('home');
      });
      if (order === 'last') new nodeEntry.Health(server, options);
      return asking(await listening(server));
    },
  ],
  fetch: [
    'signal',
    (options) => {
      const app = {
        fetch(request: Request): Response | Promise<Response> {
          withSession(request, request.headers.get('x-user'));
          const { pathname } = new URL(request.url);
          if (pathname === '/caught') fetchEntry.noteError(request, caught);
          const known = request.headers.has('x-user');
          return new Response('home', { status: known ? (pathname === '/caught' ? 500 : 200) : 401 });
        },
      };
      new fetchEntry.Health(app, options);
      return async (path, headers) =>
        reading(await app.fetch(new Request(`http://x${path}`, headers && { headers })));
    },
  ],
};

describe.each(Object.entries(hosts))('%s', (name, [member, start]) => {
  // Without the server, the hooks of the application run in their order.
  const orders: readonly Order[] = name === 'fastify, injected' ? ['first'] : ['first', 'last'];
  test.each(orders)(
    'a Health that is made %s answers before the middleware; uid and noteError take the own request of the framework',
    async (order) => {
      const { logger, summaries } = collect();
      const given: object[] = [];
      const uid = (request: Session) => {
        given.push(request);
        return request.session?.userId;
      };
      const ask = await start({ logger, uid }, order);
      const answers: number[] = [];
      for (const path of ['/__lbheartbeat__', '/__heartbeat__', '/']) answers.push((await ask(path)).status);
      expect(answers).toEqual([200, 200, 401]);
      expect(await ask('/', { 'X-User': 'ada' })).toEqual({ status: 200, text: 'home' });
      await ask('/__lbheartbeat__', { 'X-User': 'bob' });
      expect((await ask('/caught', { 'X-User': 'eve' })).status).toBe(500);
      await until(() => summaries().length === 6);
      const ofUsers = summaries().filter(({ fields }) => fields['uid'] === 'ada' || fields['uid'] === 'eve');
      expect(ofUsers.map(({ msg, fields }) => [fields['path'], fields['errno'], msg])).toEqual([
        ['/', 0, undefined],
        ['/caught', 500, expect.stringContaining('caught')],
      ]);
      // Not for an endpoint; in Fastify not for what an earlier hook answers.
      expect(given.length).toBeLessThanOrEqual(3);
      expect(given.every((request) => member in request)).toBe(true);
    },
  );
});

describe('Hono', () => {
  test.each(['first', 'last'])(
    'the user is that of c.get("user") or of jwt(), Health made %s',
    async (order) => {
      const { logger, summaries } = collect();
      const app = new Hono<{ Variables: { user: { id: number } } }>();
      if (order === 'first') new honoEntry.Health(app, { logger });
      app.use('/jwt', jwt({ secret: 'it-is-a-secret', alg: 'HS256' }));
      app.get('/jwt', (c) => c.text('in'));
      app.get('/user/:id', (c) => {
        c.set('user', { id: Number(c.req.param('id')) });
        return c.text(c.req.param('id'));
      });
      if (order === 'last') new honoEntry.Health(app, { logger });
      const token = await sign({ sub: 'ada' }, 'it-is-a-secret', 'HS256');
      const reply = await app.request('/jwt', { headers: { Authorization: `Bearer ${token}` } });
      expect(await reply.text()).toBe('in');
      expect(await (await app.request('/user/7')).text()).toBe('7');
      expect(await (await app.request('/user/8')).text()).toBe('8');
      expect((await app.request('/nowhere')).status).toBe(404);
      expect(summaries().map(({ fields }) => fields['uid'])).toEqual(['ada', '7', '8', '']);
    },
  );
});

describe('Fastify', () => {
  test('request.id and rid are one, through the server and injected', async () => {
    const { logger, summaries } = collect();
    const app = Fastify();
    new fastifyEntry.Health(app, { logger });
    app.get('/', (request) => `${request.id} ${fastifyEntry.requestId()}`);
    onTestFinished(() => app.close().then(() => undefined));
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    for (const headers of [{}, { 'X-Request-Id': 'r-1' }, { 'X-Request-Id': 'x'.repeat(300) }]) {
      for (const ask of [
        async () => (await fetch(origin, { headers })).text(),
        async () => (await app.inject({ url: '/', headers })).body,
      ]) {
        const before = summaries().length;
        const [own, ours] = (await ask()).split(' ');
        await until(() => summaries().length > before);
        expect([own, ours]).toEqual([summaries().at(-1)?.fields['rid'], own]);
      }
    }
  });
});
