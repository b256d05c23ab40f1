// One service with one database check, its health told by the library that is named: `node faults-subject.mjs lifesign database`.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { startNest } from './nest-app.mjs';

const [name, checkName] = process.argv.slice(2);
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
pool.on('error', () => {});
let runs = 0;
const check = {
  database: () => pool.query('SELECT 1'),
  // The first run passes: under-pressure does not start otherwise.
  hung: () => {
    runs += 1;
    return runs === 1 ? Promise.resolve({}) : new Promise(() => {});
  },
  secret: async () => {
    throw new Error('cannot open postgres://app:hunter2@db.internal/app');
  },
}[checkName];
const delay = 1000;

/** The service itself: a slow route, and what its pool is doing. */
async function route(url) {
  const { pathname, searchParams } = new URL(url, 'http://x');
  if (pathname === '/pool') return { waiting: pool.waitingCount, total: pool.totalCount, runs };
  await sleep(Number(searchParams.get('wait') ?? 0));
  return { hello: 'world' };
}
const plain = () =>
  createServer(async (req, res) => {
    res.end(JSON.stringify(await route(req.url)));
  });
const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

const subjects = {
  async lifesign() {
    const { Health } = await import('lifesign/node');
    const { drainOnSignals } = await import('lifesign/drain');
    const server = plain();
    const health = new Health(server, checkName === 'database' ? { db: pool } : {});
    if (checkName !== 'database') health.check('database', async () => void (await check()));
    drainOnSignals(health, {
      server,
      delay,
      failLbheartbeat: true,
      onShutdown: [() => pool.end()],
    });
    return { port: await listen(server), health: '/__heartbeat__' };
  },
  async terminus() {
    const { createTerminus } = await import('@godaddy/terminus');
    const server = createTerminus(plain(), {
      healthChecks: { '/health': check },
      timeout: 10_000,
      beforeShutdown: () => sleep(delay),
      onSignal: () => pool.end(),
    });
    return { port: await listen(server), health: '/health' };
  },
  async nest() {
    const port = await startNest({
      checks: { database: check },
      route,
      delay,
      onShutdown: () => pool.end(),
    });
    return { port, health: '/health' };
  },
  async underPressure() {
    const { default: Fastify } = await import('fastify');
    const { default: underPressure } = await import('@fastify/under-pressure');
    const app = Fastify();
    await app.register(underPressure, {
      exposeStatusRoute: '/health',
      healthCheck: async () => Boolean(await check()),
    });
    app.get('/*', (req) => route(req.url));
    app.addHook('onClose', () => pool.end());
    // It drains nothing itself: this is what its framework has for it.
    process.once('SIGTERM', async () => {
      await sleep(delay);
      await app.close();
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: app.server.address().port, health: '/health' };
  },
  async lightship() {
    const { createLightship } = await import('lightship');
    const server = plain();
    const port = await listen(server);
    const healthPort = port + 1;
    const lightship = await createLightship({
      detectKubernetes: false,
      port: healthPort,
      shutdownDelay: delay,
    });
    lightship.registerShutdownHandler(async () => {
      await new Promise((resolve) => server.close(resolve));
      await pool.end();
    });
    // It runs no checks: whoever uses it says whether the service is ready.
    lightship.signalReady();
    return { port, healthPort, health: '/health' };
  },
};

process.send(await subjects[name]());
