// guest-app.ts FRAMEWORK COUNT WARM: makes, uses and closes applications with all features on; prints, as JSON, what lifesign touched in
// the first, what it left behind, and how the heap grew.
import { EventEmitter, once } from 'node:events';
import http, { createServer, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { channel } from 'node:diagnostics_channel';
import type { ErrorRequestHandler, Express } from 'express';
import type { HealthCore, HealthOptions } from 'lifesign';
import type { AdonisSettings } from 'lifesign/adonisjs';
import type { Host, RunningHost } from '../conformance/host.js';

const [framework = '', count = '1', warm = '1'] = process.argv.slice(2);

const options = {
  logger: { log: () => {} },
  page: true,
  probes: true,
  metrics: true,
  checkOptions: { cached: { timeout: 100 } },
  groups: { some: ['cached'] },
};

/** Objects of the application by their names, looked at before, while and after lifesign is there. */
type Looked = Readonly<Record<string, object>>;
interface App {
  readonly looked: () => Looked;
  /** Installs lifesign. */
  install(more: HealthOptions): Promise<HealthCore<never>>;
  /** Answers a request; the server, if there is one, is closed after it. */
  ask(path: string): Promise<unknown>;
  close?(): Promise<unknown>;
}

function checked<Health extends HealthCore<never>>(health: Health): Health {
  health.check('cached', () => [], { cacheFor: 50 });
  return health;
}

async function overHttp(server: Server, path: string): Promise<void> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  return get((server.address() as AddressInfo).port, path);
}

async function get(port: number, path: string): Promise<void> {
  await new Promise((resolve, reject) => {
    const asked = http.get({ port, path, agent: false, host: '127.0.0.1' }, (res) =>
      res.resume().on('end', resolve),
    );
    asked.on('error', reject);
  });
}

async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

const makers: Readonly<Record<string, () => Promise<App>>> = {
  async node() {
    const { Health } = await import('lifesign/node');
    const server = createServer((_req, res) => void res.end('home'));
    return {
      looked: () => ({ server }),
      install: async (more) => checked(new Health(server, { ...options, ...more })),
      ask: (path) => overHttp(server, path),
      close: () => closed(server),
    };
  },
  async express() {
    const { default: express } = await import('express');
    return expressApp(express());
  },
  async express4() {
    const { default: express } = await import('express4');
    return expressApp(express());
  },
  async koa() {
    const [{ default: Koa }, { Health }] = [await import('koa'), await import('lifesign/koa')];
    const app = new Koa();
    app.use((ctx) => void (ctx.body = 'home'));
    const server = createServer(app.callback() as RequestListener);
    return {
      looked: () => ({ app, server }),
      install: async (more) => checked(new Health(app, { ...options, ...more })),
      ask: (path) => overHttp(server, path),
      close: () => closed(server),
    };
  },
  async fastify() {
    const { default: Fastify } = await import('fastify');
    const { Health } = await import('lifesign/fastify');
    const app = Fastify();
    app.get('/', async () => 'home');
    return {
      looked: () => ({ app, server: app.server }),
      install: async (more) => checked(new Health(app, { ...options, ...more })),
      ask: (path) => app.inject({ url: path }),
      close: () => app.close(),
    };
  },
  async hono() {
    const [{ Hono }, { Health }] = [await import('hono'), await import('lifesign/hono')];
    const app = new Hono();
    app.get('/', (c) => c.text('home'));
    app.onError((_error, c) => c.text('failed', 500));
    return {
      looked: () => ({ app }),
      install: async ({ healthPort: _none, ...more }) => checked(new Health(app, { ...options, ...more })),
      ask: async (path) => (await app.request(`http://localhost${path}`)).text(),
    };
  },
  async fetch() {
    const { Health } = await import('lifesign/fetch');
    const app = { fetch: async (_request: Request) => new Response('home') };
    return {
      looked: () => ({ app }),
      install: async ({ healthPort: _none, ...more }) => checked(new Health(app, { ...options, ...more })),
      ask: async (path) => (await app.fetch(new Request(`http://localhost${path}`))).text(),
    };
  },
  async nestjs() {
    const { nestHosts } = await import('../conformance/hosts/nestjs.js');
    const { NestApplicationContext } = await import('@nestjs/core');
    const prototypes = { 'NestApplicationContext.prototype': NestApplicationContext.prototype };
    return hosted(nestHosts[0], prototypes);
  },
  async adonisjs() {
    const { adonisApp, startAdonis } = await import('../conformance/hosts/adonisjs.js');
    const { settingsOf } = await import('../conformance/settings-of.js');
    const { Health } = await import('lifesign/adonisjs');
    let [server, nodeServer, end]: [object, Server, () => Promise<void>] = [
      {},
      createServer(),
      async () => {},
    ];
    return {
      // It makes its server with lifesign in it: what the server has of its own, beside its class.
      looked: () => ({ server: ownMethods(server), nodeServer: ownMethods(nodeServer) }),
      async install(more) {
        const { settings } = settingsOf({ options: { ...options, ...more } });
        // Its end drains: 5 s for each outside of development.
        const app = await adonisApp({ ...settings, drain: { delay: 0 } } as AdonisSettings);
        nodeServer = await startAdonis(app, checked);
        server = await app.container.make('server');
        end = () => app.terminate();
        return app.container.make(Health);
      },
      ask: (path) => overHttp(nodeServer, path),
      async close() {
        await closed(nodeServer);
        await end();
      },
    };
  },
};

function ownMethods(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value === 'function'));
}

/** NestJS makes its application with lifesign in it: what belongs to the process, or to its classes, is looked at. */
async function hosted(host: Host | undefined, looked: Looked): Promise<App> {
  if (host === undefined) throw new Error('No host');
  let running: RunningHost | undefined;
  return {
    looked: () => looked,
    async install(more) {
      running = await host.start({ options: { ...options, ...more }, checks: { cached: () => [] } });
      return running.health;
    },
    ask: async (path) => running && get(running.port, path),
    close: async () => running?.close(),
  };
}

async function expressApp(app: Express): Promise<App> {
  const { Health } = await import('lifesign/express');
  app.get('/', (_req, res) => void res.send('home'));
  app.use(((_error, _req, res, _next) => void res.status(500).end()) satisfies ErrorRequestHandler);
  const server = createServer(app);
  const later: ErrorRequestHandler = (error, _req, _res, next) => next(error);
  const handlers = (): object[] => {
    const router: object = Reflect.get(app, 'lazyrouter' in app ? '_router' : 'router');
    const stack: { handle: object }[] = Reflect.get(router, 'stack');
    return stack.map(({ handle }) => handle).filter((handle) => handle !== later);
  };
  return {
    looked: () => ({ app, 'app.request': app.request, 'app.router.stack': handlers(), server }),
    install: async (more) => {
      const health = checked(new Health(app, { ...options, ...more }));
      // Given back, too, although it was added later.
      app.use(later);
      return health;
    },
    ask: (path) => overHttp(server, path),
    close: () => closed(server),
  };
}

/** Of every framework. */
const everywhere: Looked = {
  process,
  globalThis,
  'http.Server.prototype': http.Server.prototype,
  'net.Server.prototype': net.Server.prototype,
  'http.IncomingMessage.prototype': http.IncomingMessage.prototype,
  'http.ServerResponse.prototype': http.ServerResponse.prototype,
  'EventEmitter.prototype': EventEmitter.prototype,
};

/** Every own property and every listener: the value itself, or a word for it. */
function look(looked: Looked): Map<string, unknown> {
  const seen = new Map<string, unknown>();
  for (const [name, object] of Object.entries({ ...everywhere, ...looked })) {
    for (const key of Reflect.ownKeys(object)) {
      const property = Object.getOwnPropertyDescriptor(object, key);
      seen.set(`${name}.${String(key)}`, property?.get ?? property?.value);
      seen.set(
        `${name}.${String(key)}, attributes`,
        `${property?.enumerable}${property?.configurable}${property?.writable}`,
      );
    }
    if (!(object instanceof EventEmitter) || !Object.hasOwn(object, '_events')) continue;
    for (const event of object.eventNames()) {
      seen.set(`${name} on ${String(event)}`, object.listenerCount(event));
    }
  }
  seen.set('channel http.server.request.start', channel('http.server.request.start').hasSubscribers);
  return seen;
}

// Node makes some globals when they are first used.
for (const key of Reflect.ownKeys(globalThis)) Reflect.get(globalThis, key);
await fetch('data:,').then((response) => response.text());

/** What belongs to Node, and changes while a server listens and closes. */
const nodes =
  /^server\.(?:_|Symbol\((?!lifesign)|listening)|^server on listening|404ContextKey|_events|^process\.(?:_|Symbol\()|\[?domain/;

function difference(before: Map<string, unknown>, after: Map<string, unknown>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter(
    (name) => !Object.is(before.get(name), after.get(name)) && !nodes.test(name),
  );
  return [
    ...new Set(
      changed.map((name) =>
        name
          .replace(/, attributes$/, '')
          .replace('app.Symbol(fastify.genReqId)', 'app.genReqId')
          .replace(/(?<=stack)\.\w+$/, ''),
      ),
    ),
  ].toSorted();
}

const heap = async () => {
  for (let turn = 0; turn < 4; turn += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
};

/** What the process has for OpenTelemetry: it keeps each callback until it is removed. */
const callbacks = new Set<unknown>();
const instrument = { record: () => {} };
const meter = {
  createObservableGauge: () => instrument,
  createObservableCounter: () => instrument,
  createHistogram: () => instrument,
  addBatchObservableCallback: (callback: unknown) => void callbacks.add(callback),
  removeBatchObservableCallback: (callback: unknown) => void callbacks.delete(callback),
};

/**
 * Makes an application, uses it and closes its server; `closes` whether its Health is closed, too, or left to the garbage collector. A port
 * that listens, the watchdog's thread and a meter keep a Health until it is closed.
 */
async function useOne(make: () => Promise<App>, closes: boolean, watched = false) {
  const { looked, install, ask, close } = await make();
  const before = look(looked());
  const watchdog = watched ? { watchdog: { port: 0 } } : {};
  const health = await install(closes ? { healthPort: 0, otel: true, ...watchdog } : {});
  for (const path of ['/', '/__heartbeat__', '/readyz', '/__metrics__', '/__health__']) await ask(path);
  const during = look(looked());
  await close?.();
  if (closes) {
    health.close();
    health.close();
  }
  return { touched: difference(before, during), left: closes ? difference(before, look(looked())) : [] };
}

const make = makers[framework];
if (make === undefined) throw new Error(`No framework ${framework}`);
// NestJS puts functions on the global object; AdonisJS loads Node's REPL, which loads `domain`, which replaces members of EventEmitter and process.
if (framework === 'nestjs' || framework === 'adonisjs') await useOne(make, true);
const first = await useOne(make, true);
const left = new Set(first.left);
// From now on: the page has what OpenTelemetry adds in a table of its own.
Reflect.set(globalThis, Symbol.for('opentelemetry.js.api.1'), { metrics: { getMeter: () => meter } });
const many = Number(count);
const listeners = () => process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`);
// Until everything is loaded and compiled.
for (let each = 0; each < Number(warm); each += 1)
  for (const name of (await useOne(make, true)).left) left.add(name);
for (const name of (await useOne(make, true, true)).left) left.add(name);
const state = async () => ({
  heap: await heap(),
  listeners: listeners(),
  callbacks: callbacks.size,
});
const early = await state();
// A thread takes its time to start: one in ten is enough to see what it leaves.
for (let each = 0; each < many; each += 1) await useOne(make, each % 2 === 0, each % 10 === 0);
const late = await state();
console.log(JSON.stringify({ touched: first.touched, left: [...left], early, late }));
process.exit();
