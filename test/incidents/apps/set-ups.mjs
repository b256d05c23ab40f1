// How a service reports its health: lifesign with its defaults, and the others as their documentation shows it.
import { lifesign } from './lifesign.mjs';

/** The round trip that the documentation of each of them shows as its example. */
const ping = (pool) => () => pool.query('SELECT 1');

/** Ends the service after the requests that are under way. */
function closeOnSignal(server, pool) {
  process.once('SIGTERM', () => {
    server.close(async () => {
      await pool.end();
      process.exit(0);
    });
  });
}

/** Ten hand-written lines: `answer` is called for the path of the health check. */
function byHand(service, answer) {
  const { server, pool, listen } = service;
  const [handle] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (req, res) => (req.url === '/health' ? answer(res) : handle(req, res)));
  closeOnSignal(server, pool);
  return listen();
}

export const setUps = {
  /** `probes` and `watchdog` are on, everything else is the default. The port is given because all instances are on one host. */
  async lifesign({ server, pool, listen, secondPort }) {
    const { Health } = await lifesign('frameworks/node');
    const { drainOnSignals } = await lifesign('http/drain/drain');
    const health = new Health(server, { db: pool, probes: true, watchdog: { port: secondPort } });
    drainOnSignals(health, { server, onShutdown: [() => pool.end()] });
    await listen();
  },

  'hand-written': (service) => byHand(service, (res) => res.end('{"status":"ok"}')),

  /** Hand-written, with the database. */
  async 'hand-written, with the database'(service) {
    const check = ping(service.pool);
    await byHand(service, (res) => {
      check().then(
        () => res.end('{"status":"ok"}'),
        (error) => res.writeHead(503).end(JSON.stringify({ status: 'error', message: error.message })),
      );
    });
  },

  async '@godaddy/terminus'({ server, pool, listen }) {
    const { createTerminus } = await import('@godaddy/terminus');
    createTerminus(server, {
      signal: 'SIGTERM',
      healthChecks: { '/health': ping(pool) },
      onSignal: () => pool.end(),
    });
    await listen();
  },

  async '@nestjs/terminus'({ pool, route, port }) {
    const { startNest } = await import('../../../bench/nest-app.mjs');
    const checks = { database: ping(pool) };
    await startNest({ checks, route, port, drainDelay: 1000, onShutdown: () => pool.end() });
  },

  /** It runs no checks: the service says once that it is ready. */
  async lightship({ server, pool, listen, secondPort }) {
    const {
      default: { createLightship },
    } = await import('lightship');
    const lightship = await createLightship({ detectKubernetes: false, port: secondPort });
    lightship.registerShutdownHandler(async () => {
      server.close();
      await pool.end();
    });
    await listen();
    lightship.signalReady();
  },

  async 'under-pressure'({ pool, route, port }) {
    const { default: Fastify } = await import('fastify');
    const { default: underPressure } = await import('@fastify/under-pressure');
    const app = Fastify();
    const check = ping(pool);
    await app.register(underPressure, {
      exposeStatusRoute: '/health',
      healthCheck: async () => Boolean(await check()),
      healthCheckInterval: 500,
    });
    app.route({ method: ['GET', 'POST'], url: '/*', handler: (req) => route(req.url) });
    app.addContentTypeParser('*', (_req, payload, done) => payload.resume().on('end', () => done(null)));
    process.once('SIGTERM', () => void app.close().then(() => pool.end()));
    await app.listen({ port, host: '127.0.0.1' });
  },
};
