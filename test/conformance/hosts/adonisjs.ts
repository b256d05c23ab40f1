import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { IgnitorFactory } from '@adonisjs/core/factories';
import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http';
import { defineConfig as defineLoggers } from '@adonisjs/core/logger';
import type { ApplicationService } from '@adonisjs/core/types';
import { type AdonisSettings, Health, requestId } from 'lifesign/adonisjs';
import { bodyOf, endless, type Host, listen, prepare, type Setup } from '../host.js';
import { settingsOf } from '../settings-of.js';

class Handler extends ExceptionHandler {
  override async report() {}
  override async handle(error: { status?: number; message: string }, ctx: HttpContext) {
    if (error.status === 404) return ctx.response.status(404).json({ application: 'not found' });
    return ctx.response.status(error.status ?? 500).json({ error: 'internal' });
  }
}

interface Parts {
  readonly database?: object;
  readonly redis?: object;
  /** By name; the first is the default. */
  readonly loggers?: Readonly<Record<string, object>>;
  /** What was forgotten. */
  readonly without?: 'provider';
}

/** An application of AdonisJS without files: what `adonisrc.ts`, `config` and `start` would say. */
export async function adonisApp(
  settings: AdonisSettings,
  environment: 'web' | 'test' | 'console' = 'web',
  { database, redis, loggers = { app: { enabled: false } }, without }: Parts = {},
): Promise<ApplicationService> {
  // AdonisJS 7 writes the types of its routes there.
  const root = join(tmpdir(), 'lifesign-adonisjs');
  mkdirSync(root, { recursive: true });
  const app = new IgnitorFactory()
    .withCoreConfig()
    .withCoreProviders()
    .merge({
      config: {
        database,
        redis,
        health: settings,
        logger: defineLoggers({ default: Object.keys(loggers)[0] ?? '', loggers }),
      },
      rcFileContents: {
        providers: [
          ...(database === undefined ? [] : [() => import('@adonisjs/lucid/database_provider')]),
          ...(redis === undefined ? [] : [() => import('@adonisjs/redis/redis_provider')]),
          ...(without === 'provider' ? [] : [() => import('lifesign/adonisjs/health_provider')]),
        ],
      },
    })
    .create(pathToFileURL(`${root}/`), { importer: (path: string) => import(path) })
    .createApp(environment);
  await app.init();
  await app.boot();
  const server = await app.container.make('server');
  const router = await app.container.make('router');
  server.errorHandler(async () => ({ default: Handler }));
  server.use([() => import('lifesign/adonisjs/health_middleware')]);
  router.get('/', () => ({ hello: 'world' }));
  router.get('/rid', () => ({ rid: requestId() }));
  router.get('/boom', () => {
    throw new Error('boom from app');
  });
  router.get('/stream', ({ response }) => response.stream(Readable.from(endless())));
  router.post('/echo', async ({ request, response }) => {
    if (request.header('Content-Type') === 'application/json') await bodyOf(request.request);
    return response.status(201).json({ posted: true });
  });
  return app;
}

/** Starts it as its HTTP process does, without a port of its own; `preload` is what a file in `start/` does. */
export async function startAdonis(app: ApplicationService, preload: (health: Health) => void = () => {}) {
  const server = await app.container.make('server');
  let node = createServer();
  await app.start(async () => {
    if (app.container.hasBinding(Health)) preload(await app.container.make(Health));
    await server.boot();
    node = createServer(server.handle.bind(server));
    server.setNodeServer(node);
  });
  return node;
}

export const adonisHosts: readonly Host[] = [
  {
    name: 'AdonisJS 6',
    async start(setup: Setup) {
      const { settings, records } = settingsOf(setup);
      const app = await adonisApp(settings as AdonisSettings);
      const node = await startAdonis(app, (made) => prepare(made, setup));
      const health = await app.container.make(Health);
      const running = await listen(node, health, records);
      return {
        ...running,
        async close() {
          await running.close();
          await app.terminate();
        },
      };
    },
  },
];
