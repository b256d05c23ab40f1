import { createServer, type IncomingMessage } from 'node:http';
import busboy from 'busboy';
import express from 'express';
import Fastify from 'fastify';
import { formidable } from 'formidable';
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

/** What a session middleware finds: the id of the user is the value of one header. */
const sessionOf = (value: unknown) => ({ session: { userId: String(value) } });
type Session = { session?: { userId: string } };
type Ask = (path: string, headers: Record<string, string>) => Promise<string>;

const asking = (origin: string): Ask => {
  return async (path, headers) => (await fetch(origin + path, { headers })).text();
};

function fastifyApp(options: object) {
  const app = Fastify();
  new fastifyEntry.Health(app, options);
  app.addHook('onRequest', async (request) => {
    Object.assign(request, sessionOf(request.headers['x-user']));
  });
  app.get('/', () => 'home');
  onTestFinished(() => app.close().then(() => undefined));
  return app;
}

/** Applications with a session middleware, each with a member that only the own request of its framework has. */
const hosts: Record<string, readonly [member: string, start: (options: object) => Ask | Promise<Ask>]> = {
  express: [
    'originalUrl',
    async (options) => {
      const app = express();
      new expressEntry.Health(app, options);
      app.use((req, _res, next) => {
        Object.assign(req, sessionOf(req.get('x-user')));
        next();
      });
      app.get('/', (_req, res) => void res.send('home'));
      return asking(await listening(createServer(app)));
    },
  ],
  fastify: [
    'raw',
    async (options) => asking(await fastifyApp(options).listen({ host: '127.0.0.1', port: 0 })),
  ],
  'fastify, injected': [
    'raw',
    (options) => {
      const app = fastifyApp(options);
      return async (url, headers) => (await app.inject({ url, headers })).body;
    },
  ],
  koa: [
    'cookies',
    async (options) => {
      const app = new Koa();
      app.use((ctx, next) => {
        Object.assign(ctx, sessionOf(ctx.get('x-user')));
        return next();
      });
      app.use((ctx) => void (ctx.body = 'home'));
      new koaEntry.Health(app, options);
      return asking(await listening(createServer(app.callback())));
    },
  ],
  hono: [
    'req',
    (options) => {
      const app = new Hono();
      app.use(async (c, next) => {
        Object.assign(c, sessionOf(c.req.header('x-user')));
        await next();
      });
      app.get('/', (c) => c.text('home'));
      new honoEntry.Health(app, options);
      return async (path, headers) => (await app.request(path, { headers })).text();
    },
  ],
  node: [
    'socket',
    async (options) => {
      const server = createServer((req, res) => {
        Object.assign(req, sessionOf(req.headers['x-user']));
        res.end('home');
      });
      new nodeEntry.Health(server, options);
      return asking(await listening(server));
    },
  ],
  fetch: [
    'signal',
    (options) => {
      const app = {
        fetch(request: Request) {
          Object.assign(request, sessionOf(request.headers.get('x-user')));
          return new Response('home');
        },
      };
      new fetchEntry.Health(app, options);
      return (path, headers) => app.fetch(new Request(`http://x${path}`, { headers })).text();
    },
  ],
};

test.each(Object.entries(hosts))(
  '%s: uid gets the own request of the framework, with what middleware put on it, and no endpoint',
  async (_name, [member, start]) => {
    const { logger, summaries } = collect();
    const given: object[] = [];
    const uid = (request: Session) => {
      given.push(request);
      return request.session?.userId;
    };
    const ask = await start({ logger, uid });
    expect(await ask('/', { 'X-User': 'ada' })).toBe('home');
    await ask('/__lbheartbeat__', { 'X-User': 'bob' });
    await ask('/', { 'X-User': 'eve' });
    await until(() => summaries().length === 3);
    expect(
      summaries()
        .map(({ fields }) => fields['uid'])
        .toSorted(),
    ).toEqual(['', 'ada', 'eve']);
    expect(given.map((request) => member in request)).toEqual([true, true]);
  },
);

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

describe('requestId() in the events of a body', () => {
  const form = () => {
    const body = new FormData();
    body.set('name', 'ada');
    body.set('file', new Blob(['x'.repeat(200_000)]), 'a.txt');
    return body;
  };

  const { requestId } = nodeEntry;
  type Read = (req: IncomingMessage, done: (ids: unknown[]) => void) => void;
  const readEnd: Read = (req, done) => {
    const ids: unknown[] = [];
    req.on('data', () => ids.push(requestId()));
    req.on('end', () => done([...ids, requestId()]));
  };
  const readers: Record<string, Read> = {
    end: readEnd,
    busboy(req, done) {
      const ids: unknown[] = [];
      const parser = busboy({ headers: req.headers });
      parser.on('field', () => ids.push(requestId()));
      parser.on('file', (_name, file) => {
        ids.push(requestId());
        file.on('data', () => ids.push(requestId()));
        file.on('end', () => ids.push(requestId()));
      });
      parser.on('close', () => done([...ids, requestId()]));
      req.pipe(parser);
    },
    formidable(req, done) {
      const ids: unknown[] = [];
      const parser = formidable({});
      parser.on('field', () => ids.push(requestId()));
      parser.on('file', () => ids.push(requestId()));
      parser.parse(req, () => done([...ids, requestId()]));
    },
  };

  test.each(Object.entries(readers))('%s', async (_by, read) => {
    const server = createServer((req, res) => read(req, (ids) => res.end(JSON.stringify(ids))));
    new nodeEntry.Health(server, { logger: collect().logger });
    const origin = await listening(server);
    // Side by side: none gets the id of another.
    await Promise.all(
      ['r-1', 'r-2', 'r-3'].map(async (id) => {
        const reply = await fetch(origin, { method: 'POST', body: form(), headers: { 'X-Request-Id': id } });
        expect([...new Set((await reply.json()) as string[])]).toEqual([id]);
      }),
    );
  });
});
