import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogRecord } from 'lifesign';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { Health as NodeHealth } from 'lifesign/node';
import { until } from '../../core/waiting.js';
import { freePort } from '../../services/port.js';

interface Options {
  readonly healthPort: number;
  readonly healthPortOnly?: boolean;
  readonly page?: boolean;
  readonly logger: { log(record: LogRecord): void };
}
interface Running {
  readonly health: { close(): void };
  readonly server: Server;
}

const listening = (server: Server) =>
  new Promise<Server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

const frameworks: readonly (readonly [string, (options: Options) => Promise<Running>])[] = [
  [
    'node',
    async (options) => {
      const server = createServer((_req, res) => res.writeHead(418).end('app'));
      return { health: new NodeHealth(server, options), server: await listening(server) };
    },
  ],
  [
    'Express',
    async (options) => {
      const app = express();
      const health = new ExpressHealth(app, options);
      app.use((_req, res) => void res.status(418).send('app'));
      return { health, server: await listening(createServer(app)) };
    },
  ],
  [
    'Koa',
    async (options) => {
      const app = new Koa();
      const health = new KoaHealth(app, options);
      app.use((ctx) => {
        ctx.status = 418;
      });
      return { health, server: await listening(createServer(app.callback())) };
    },
  ],
  [
    'Fastify',
    async (options) => {
      const app = Fastify();
      const health = new FastifyHealth(app, options);
      app.all('*', async (_request, reply) => reply.code(418).send('app'));
      await app.listen({ port: 0, host: '127.0.0.1' });
      return { health, server: app.server };
    },
  ],
];

const open: Running[] = [];
afterEach(() => {
  for (const { health, server } of open.splice(0)) {
    health.close();
    server.close();
    server.closeAllConnections();
  }
});

describe.each(frameworks)('the health port of %s', (_name, start) => {
  async function run(more: Partial<Options> = {}) {
    const records: LogRecord[] = [];
    const options = {
      healthPort: 0,
      page: true,
      ...more,
      logger: { log: (record: LogRecord) => void records.push(record) },
    };
    const running = await start(options);
    open.push(running);
    const told = () =>
      records.map(({ msg }) => /health endpoints on 0\.0\.0\.0:(\d+)$/.exec(msg ?? '')?.[1]).find(Boolean);
    await until(() => told() !== undefined);
    const own = `http://127.0.0.1:${told()}`;
    const pub = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`;
    return { own, pub, records, ...running };
  }
  const statuses = async (base: string, paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await fetch(base + path)).status));
  const paths = ['/__heartbeat__', '/__lbheartbeat__', '/__version__', '/__health__', '/', '/__heartbeat__x'];

  it('serves the endpoints and the page beside the application’s', async () => {
    const { own, pub } = await run();
    expect(await statuses(own, paths)).toEqual([200, 200, 404, 200, 404, 404]);
    expect(await statuses(pub, paths)).toEqual([200, 200, 404, 200, 418, 418]);
    expect(await (await fetch(`${own}/`)).text()).toBe('{"error":"not found"}');
  });

  it('with healthPortOnly the application has its paths for itself', async () => {
    const { own, pub } = await run({ healthPortOnly: true });
    expect(await statuses(own, paths)).toEqual([200, 200, 404, 200, 404, 404]);
    expect(await statuses(pub, paths)).toEqual([418, 418, 418, 418, 418, 418]);
  });

  it('logs a summary for each of its requests, and closes with the Health', async () => {
    const { own, records, health } = await run({ healthPort: await freePort() });
    await statuses(own, ['/__lbheartbeat__', '/x']);
    const paths = () =>
      records.filter(({ logger }) => logger === 'request.summary').map(({ fields }) => fields['path']);
    await until(() => paths().length === 2);
    expect(paths().toSorted()).toEqual(['/__lbheartbeat__', '/x']);
    health.close();
    await expect(fetch(`${own}/__lbheartbeat__`)).rejects.toThrow();
  });

  it('a port that is taken is told in the log and breaks nothing', async () => {
    const taken = await listening(createServer());
    const { port } = taken.address() as AddressInfo;
    const records: LogRecord[] = [];
    const running = await start({ healthPort: port, logger: { log: (record) => void records.push(record) } });
    open.push(running);
    await until(() => records.some(({ msg }) => msg === `Cannot listen on the health port 0.0.0.0:${port}`));
    const { port: own } = running.server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${own}/__lbheartbeat__`)).status).toBe(200);
    taken.close();
  });
});

it('Hono and fetch refuse it: they have no server', () => {
  expect(() => new HonoHealth(undefined, { healthPort: 9000 })).toThrow('Option healthPort is 9000');
});

it('is read from HEALTH_PORT and HEALTH_PORT_ONLY', () => {
  process.env['HEALTH_PORT'] = '9000';
  process.env['HEALTH_PORT_ONLY'] = 'true';
  try {
    const { options } = new NodeHealth();
    expect(options).toMatchObject({ healthPort: 9000, healthPortOnly: true });
  } finally {
    delete process.env['HEALTH_PORT'];
    delete process.env['HEALTH_PORT_ONLY'];
  }
});
