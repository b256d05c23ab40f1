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
const sessionOf = (value: unknown) => ({ userId: String(value) });
type Session = { session?: { userId: string } };

interface Host {
  readonly ask: (path: string, init?: RequestInit) => Promise<unknown>;
  /** What `uid` was given. */
  readonly given: unknown[];
  readonly uids: () => Promise<readonly unknown[]>;
}

function recording() {
  const { logger, summaries } = collect();
  const given: unknown[] = [];
  const uid = (request: object) => {
    given.push(request);
    return (request as Session).session?.userId;
  };
  let asked = 0;
  const uids = async () => {
    await until(() => summaries().length === asked);
    return summaries().map(({ fields }) => fields['uid']);
  };
  return { options: { logger, uid }, given, uids, count: () => (asked += 1) };
}

const asking = (origin: string, count: () => void): Host['ask'] => {
  return async (path, init) => {
    count();
    return (await fetch(origin + path, init)).text();
  };
};

const hosts: Record<string, () => Promise<Host & { isOwn: (request: unknown) => boolean }>> = {
  async express() {
    const { options, count, ...rest } = recording();
    const app = express();
    new expressEntry.Health(app, options);
    app.use((req: express.Request & Session, _res, next) => {
      req.session = sessionOf(req.get('x-user'));
      next();
    });
    app.get('/', (_req, res) => void res.send('home'));
    const ask = asking(await listening(createServer(app)), count);
    return { ask, ...rest, isOwn: (request) => typeof (request as express.Request).get === 'function' };
  },
  async fastify() {
    const { options, count, ...rest } = recording();
    const app = Fastify();
    new fastifyEntry.Health(app, options);
    app.decorateRequest('session', null as never);
    app.addHook('onRequest', async (request) => {
      Object.assign(request, { session: sessionOf(request.headers['x-user']) });
    });
    app.get('/', () => 'home');
    onTestFinished(() => app.close().then(() => undefined));
    const ask = asking(await app.listen({ host: '127.0.0.1', port: 0 }), count);
    return { ask, ...rest, isOwn: (request) => 'raw' in (request as object) };
  },
  async 'fastify, injected'() {
    const { options, count, ...rest } = recording();
    const app = Fastify();
    new fastifyEntry.Health(app, options);
    app.addHook('onRequest', async (request) => {
      Object.assign(request, { session: sessionOf(request.headers['x-user']) });
    });
    app.get('/', () => 'home');
    return {
      ask: async (url, init) => {
        count();
        const headers = (init?.headers ?? {}) as Record<string, string>;
        return (await app.inject({ url, headers })).body;
      },
      ...rest,
      isOwn: (request) => 'raw' in (request as object),
    };
  },
  async koa() {
    const { options, count, ...rest } = recording();
    const app = new Koa();
    app.use((ctx: Koa.Context & Session, next) => {
      ctx.session = sessionOf(ctx.get('x-user'));
      return next();
    });
    app.use((ctx) => void (ctx.body = 'home'));
    new koaEntry.Health(app, options);
    const ask = asking(await listening(createServer(app.callback())), count);
    return { ask, ...rest, isOwn: (request) => 'cookies' in (request as object) };
  },
  async hono() {
    const { options, count, ...rest } = recording();
    const app = new Hono();
    // The session of a Context is a variable; here both ways are tried.
    app.use(async (c, next) => {
      Object.assign(c, { session: sessionOf(c.req.header('x-user')) });
      await next();
    });
    app.get('/', (c) => c.text('home'));
    new honoEntry.Health(app, options);
    return {
      ask: async (path, init) => {
        count();
        return (await app.request(path, init)).text();
      },
      ...rest,
      isOwn: (request) => 'req' in (request as object),
    };
  },
  async node() {
    const { options, count, ...rest } = recording();
    const server = createServer((req: IncomingMessage & Session, res) => {
      req.session = sessionOf(req.headers['x-user']);
      res.end('home');
    });
    new nodeEntry.Health(server, options);
    const ask = asking(await listening(server), count);
    return { ask, ...rest, isOwn: (request) => 'socket' in (request as object) };
  },
  async fetch() {
    const { options, count, ...rest } = recording();
    const app = {
      fetch(request: Request & Session) {
        request.session = sessionOf(request.headers.get('x-user'));
        return new Response('home');
      },
    };
    new fetchEntry.Health(app, options);
    return {
      ask: async (path, init) => {
        count();
        return app.fetch(new Request(`http://x${path}`, init)).text();
      },
      ...rest,
      isOwn: (request) => request instanceof Request,
    };
  },
};

describe.each(Object.entries(hosts))('%s', (_name, start) => {
  test('uid gets the own request of the framework, with what middleware put on it, and no endpoint', async () => {
    const { ask, given, uids, isOwn } = await start();
    expect(await ask('/', { headers: { 'X-User': 'ada' } })).toBe('home');
    await ask('/__lbheartbeat__', { headers: { 'X-User': 'bob' } });
    await ask('/', { headers: { 'X-User': 'eve' } });
    expect((await uids()).toSorted()).toEqual(['', 'ada', 'eve']);
    expect(given.map(isOwn)).toEqual([true, true]);
  });
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
