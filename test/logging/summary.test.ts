import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { createServer, type RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import express5, { type NextFunction, type Request, type Response } from 'express';
import express4 from 'express4';
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

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s', (_name, express) => {
  async function start(use: (app: ReturnType<typeof express5>) => void): Promise<RunningHost> {
    const { options, records } = collecting({});
    const app = express();
    app.set('env', 'test');
    const health = new ExpressHealth(app, options);
    use(app);
    return (running = await listen(createServer(app), health, records));
  }

  it('a stream that breaks in the middle of the answer has one record with its cause', async () => {
    const host = await start((app) =>
      app.get('/stream', (_req: Request, res: Response, next: NextFunction) => {
        const source = new PassThrough();
        source.once('error', (error) => {
          next(error);
          res.destroy();
        });
        source.pipe(res);
        source.write('first');
        setTimeout(() => source.destroy(new Error('disk gone')), 20);
      }),
    );
    await expect(fetch(`${host.origin}/stream`).then((reply) => reply.text())).rejects.toThrow();
    const [record] = await recordsOf(host, 'request.summary', 1);
    expect(record).toMatchObject({ level: 40, msg: 'disk gone', fields: { errno: 500, code: 200 } });
  });

  it('what is passed to next asynchronously is the error of the record', async () => {
    const host = await start((app) =>
      app.get('/later', (_req: Request, _res: Response, next: NextFunction) => {
        setTimeout(() => next(new Error('later')), 5);
      }),
    );
    expect((await fetch(`${host.origin}/later`)).status).toBe(500);
    const [record] = await recordsOf(host, 'request.summary', 1);
    expect(record).toMatchObject({ level: 40, msg: 'later', fields: { errno: 500, code: 500 } });
  });

  it('t is the time of this very request', async () => {
    const host = await start((app) => {
      app.get('/slow', (_req: Request, res: Response) => setTimeout(() => res.send('x'), 60));
      app.get('/fast', (_req: Request, res: Response) => void res.send('x'));
    });
    const slow = fetch(`${host.origin}/slow`);
    await fetch(`${host.origin}/fast`);
    await slow;
    const records = await recordsOf(host, 'request.summary', 2);
    const timeOf = (path: string) =>
      Number(records.find(({ fields }) => fields['path'] === path)?.fields['t']);
    expect(timeOf('/slow')).toBeGreaterThanOrEqual(58);
    expect(Number.isInteger(timeOf('/fast'))).toBe(true);
  });
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
    const app = express5();
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

it('HTTP/2: one record for each stream of a connection, one for a stream that the client resets', async () => {
  const { options, records } = collecting({});
  const server = http2.createServer((req, res) => {
    if (req.url === '/hang') return;
    res.end('x');
  });
  new NodeHealth(server, options);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const paths = ['/a', '/b', '/__lbheartbeat__', '/c'];
  const ask = (path: string) =>
    new Promise((resolve) => {
      const stream = session.request({ ':path': path, 'x-request-id': `id${path}` });
      stream.resume().once('close', resolve);
    });
  await Promise.all(paths.map(ask));
  const hanging = session.request({ ':path': '/hang', 'x-request-id': 'id/hang' });
  hanging.on('error', () => {});
  await wait(30);
  hanging.close(http2.constants.NGHTTP2_CANCEL);
  for (let turn = 0; turn < 300 && records.length < 5; turn += 1) await wait(10);
  session.destroy();
  await new Promise((resolve) => server.close(resolve));
  const seen = records.map(({ fields }) => [fields['path'], fields['rid'], fields['code']]);
  expect(new Set(seen.map(String))).toEqual(
    new Set([...paths.map((path) => `${path},id${path},200`), '/hang,id/hang,499']),
  );
  expect(seen).toHaveLength(5);
});
