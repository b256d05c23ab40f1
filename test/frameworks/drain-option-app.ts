// drain-option-app.ts FRAMEWORK HANDLER: an application with the option `drain` that listens on PORT and answers /slow after 700 ms.
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import type { ServerType } from '@hono/node-server';

const [framework = '', handler = ''] = process.argv.slice(2);
const options = { drain: process.env['OPTION'] === 'none' ? undefined : true, summary: false };
const usual = handler === 'exits' ? 1 : 0;
/** The code of the option is loaded beside the start of the application. */
const loaded = async () => {
  while (options.drain === true && process.listenerCount('SIGTERM') === usual) await setTimeout(5);
};
async function slowly(): Promise<string> {
  await loaded();
  console.log('slow');
  return setTimeout(700, 'whole');
}

async function listen(): Promise<ServerType> {
  switch (framework) {
    case 'express':
    case 'express on a server': {
      const { default: express } = await import('express');
      const { Health } = await import('lifesign/express');
      const app = express();
      new Health(app, options);
      app.get('/slow', (_req, res, next) => void slowly().then((text) => res.send(text), next));
      return framework === 'express' ? app.listen(0) : createServer(app).listen(0);
    }
    case 'fastify': {
      const { default: Fastify } = await import('fastify');
      const { Health } = await import('lifesign/fastify');
      const app = Fastify();
      new Health(app, options);
      app.get('/slow', (_request, reply) => void slowly().then((text) => reply.send(text)));
      app.addHook('onClose', async () => console.log('onClose'));
      await app.listen({ port: 0 });
      return app.server;
    }
    case 'koa': {
      const { default: Koa } = await import('koa');
      const { Health } = await import('lifesign/koa');
      const app = new Koa();
      new Health(app, options);
      app.use(async (context) => void (context.body = await slowly()));
      return app.listen(0);
    }
    case 'hono': {
      const { Hono } = await import('hono');
      const { serve } = await import('@hono/node-server');
      const { Health } = await import('lifesign/hono');
      const app = new Hono();
      new Health(app, options);
      app.get('/slow', async (context) => context.text(await slowly()));
      return serve({ fetch: app.fetch, port: 0 });
    }
    case 'fetch': {
      const { serve } = await import('@hono/node-server');
      const { Health } = await import('lifesign/fetch');
      const fetch = new Health(options).wrap(async () => new Response(await slowly()));
      return serve({ fetch, port: 0 });
    }
    default: {
      const { Health } = await import('lifesign/node');
      const server = createServer(async (_req, res) => res.end(await slowly()));
      const health = new Health(server, options);
      if (framework === 'node, by a call') {
        const { drainOnSignals } = await import('lifesign/drain');
        server.on('listening', () =>
          drainOnSignals(health, { server, onShutdown: [() => console.log('hook')] }),
        );
      }
      return server.listen(0);
    }
  }
}

if (handler === 'exits') process.on('SIGTERM', () => process.exit(5));
const server = await listen();
if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
// oxlint-disable-next-line typescript/consistent-type-assertions -- it listens on a port
if (framework === 'node') await loaded();
console.log(`port ${(server.address() as AddressInfo).port}`);
