// An application that is asked over pipelined connections, as a process of its own: `pipelining-app.ts FRAMEWORK [https]`.
// It says its port, and on every message what it has seen, what it has logged and what it keeps.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LogRecord } from 'lifesign';
import { drainOnSignals } from 'lifesign/drain';
import { selfSigned } from '../http/certificate.js';

process.setSourceMapsEnabled(false);

/** What the application has seen and logged. */
export interface Look {
  readonly seen: number;
  readonly records: number;
  readonly refused: number;
  /** Requests whose record is not theirs: another id, method or path, or a second one. */
  readonly wrong: readonly string[];
  readonly codes: Readonly<Record<string, number>>;
  readonly heapUsed: number;
  readonly sockets: number;
}

const [framework = '', secure] = process.argv.slice(2);
/** What is still expected, by request id: dropped when its record comes, so that this keeps nothing either. */
const expected = new Map<string, string>();
const wrong: string[] = [];
let codes: Record<string, number> = {};
let [seen, records, refused] = [0, 0, 0];

const options = {
  logger: {
    log({ logger, fields: { rid, method, path, code } }: LogRecord) {
      if (logger !== 'request.summary') return;
      // What could not be read is no request of the application.
      if (method === '') {
        refused += 1;
        return;
      }
      records += 1;
      codes[String(code)] = (codes[String(code)] ?? 0) + 1;
      const is = `${String(method)} ${String(path)}`;
      if (expected.get(String(rid)) !== is && wrong.length < 5) wrong.push(`${String(rid)} ${is}`);
      expected.delete(String(rid));
    },
  },
};

const answer: RequestListener = (req, res) => {
  if (req.url === '/part') {
    res.write('some');
    setTimeout(() => res.destroy(), 100);
  } else if (req.method === 'POST') {
    req.resume().once('end', () => res.end('posted'));
  } else {
    // Node does not read from a connection with many answers waiting: that the client is gone shows when it writes.
    setTimeout(() => res.end('x'.repeat(100)), req.url === '/late' ? 60 : 20);
  }
};

async function start(): Promise<Server> {
  const make = async (listener?: RequestListener) =>
    secure === undefined ? createServer(listener) : createSecureServer(await selfSigned(), listener);
  if (framework === 'express') {
    const [{ default: express }, { Health }] = await Promise.all([
      import('express'),
      import('lifesign/express'),
    ]);
    const app = express();
    drainedBy(new Health(app, options));
    app.use(answer);
    return make(app);
  }
  if (framework === 'koa') {
    const [{ default: Koa }, { Health }] = await Promise.all([import('koa'), import('lifesign/koa')]);
    const app = new Koa();
    app.silent = true;
    drainedBy(new Health(app, options));
    app.use((ctx) => {
      ctx.respond = false;
      answer(ctx.req, ctx.res);
    });
    return make(app.callback());
  }
  if (framework === 'fastify') {
    const [{ default: Fastify }, { Health }] = await Promise.all([
      import('fastify'),
      import('lifesign/fastify'),
    ]);
    const app = Fastify();
    drainedBy(new Health(app, options));
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.all('*', (request, reply) => {
      reply.hijack();
      answer(request.raw, reply.raw);
    });
    await app.ready();
    return app.server;
  }
  if (framework === 'nest') {
    await import('reflect-metadata');
    const [{ Module }, { NestFactory }, { Health, HealthMiddleware, HealthModule }] = await Promise.all([
      import('@nestjs/common'),
      import('@nestjs/core'),
      import('lifesign/nestjs'),
    ]);
    class App {
      configure(consumer: { apply(middleware: unknown): { forRoutes(path: string): void } }) {
        consumer.apply(HealthMiddleware).forRoutes('{*path}');
      }
    }
    const settings = { BASE_DIR: '.', HEALTH_CHECKS: [], logger: options.logger };
    Module({ imports: [HealthModule.forRoot(settings)] })(App);
    const app = await NestFactory.create(App, { logger: false, bodyParser: false });
    app.use(answer);
    await app.init();
    drained = true;
    void Health;
    return app.getHttpServer();
  }
  const { Health } = await import('lifesign/node');
  const server = await make(answer);
  drainedBy(new Health(server, options));
  return server;
}

let drained = false;
let health: Parameters<typeof drainOnSignals>[0] | undefined;
function drainedBy(given: Parameters<typeof drainOnSignals>[0]): void {
  health = given;
}

const server = await start();
if (health !== undefined && !drained) drainOnSignals(health, { server, delay: 0 });
// Outermost: sees what comes in, whoever answers it.
const emit = server.emit.bind(server);
server.emit = (event: string, ...args: unknown[]) => {
  const [req] = args as [{ headers: Record<string, string>; method: string; url: string } | undefined];
  if (event === 'request' && req !== undefined) {
    seen += 1;
    expected.set(String(req.headers['x-request-id']), `${req.method} ${req.url}`);
  }
  return emit(event, ...args);
};
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

process.on('message', async () => {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const look: Look = {
    seen,
    records,
    refused,
    wrong,
    codes,
    heapUsed: process.memoryUsage().heapUsed,
    sockets,
  };
  codes = {};
  process.send?.(look);
});
process.once('disconnect', () => process.exit());
