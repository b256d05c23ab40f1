// One instance of a service with a pool, its health told by the library that is named: `node probes-subject.mjs lifesign`.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { startNest } from './nest-app.mjs';

const [name] = process.argv.slice(2);
const { DATABASE_URL, REDIS_URL, PORT, SLOW_START = '0', WATCHDOG_PORT } = process.env;
const port = Number(PORT);
const warmUp = Number(SLOW_START);
/** How long each of them goes on after SIGTERM, as their documentation has it. */
const drainDelay = 1500;
const pool = new Pool({ connectionString: DATABASE_URL, max: 3, connectionTimeoutMillis: 1500 });
pool.on('error', () => {});
const redis = REDIS_URL && new Redis(REDIS_URL, { maxRetriesPerRequest: 1, commandTimeout: 1500 });
redis?.on('error', () => {});
const end = async () => {
  redis?.disconnect();
  await pool.end();
};

/** Whether the cache is warm: before that the service has nothing but an error page. */
let isWarm = warmUp === 0;

/** The service itself: a page that needs the database, a leak, and a block of the event loop. */
async function route(url) {
  if (url === '/leak') {
    await Promise.all([1, 2, 3].map(() => pool.connect().catch(() => {})));
    return 'leaked';
  }
  if (url === '/block') {
    setTimeout(() => {
      for (const until = Date.now() + 6000; Date.now() < until;);
    });
    return 'blocked';
  }
  if (!isWarm) throw new Error('not warm yet');
  await pool.query('SELECT 1');
  await redis?.get('greeting');
  return 'hello';
}
const plain = () =>
  createServer((req, res) => {
    route(req.url).then(
      (text) => res.end(text),
      () => res.writeHead(500).end('an error page'),
    );
  });
const listen = (server) =>
  new Promise((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
// As their documentation has it: one round trip over the client of the application.
const checks = {
  database: () => pool.query('SELECT 1'),
  ...(redis && { redis: () => redis.ping() }),
};
const healthy = () => Promise.all(Object.values(checks).map((check) => check()));

async function lifesign(options) {
  const { Health } = await import('lifesign/node');
  const { drainOnSignals } = await import('lifesign/drain');
  const server = plain();
  const health = new Health(server, {
    db: pool,
    ...(redis && { redis }),
    timeout: 1500,
    summary: false,
    logger: false,
    ...options,
  });
  drainOnSignals(server, health, { drainDelay, onShutdown: [end] });
  await listen(server);
  return () => health.started();
}

const subjects = {
  lifesign: () =>
    lifesign({
      probes: {
        restartAfter: 3000,
        probeEvery: 500,
        secondOpinionEvery: 1000,
        ...(warmUp > 0 && { startWhen: 'called' }),
      },
      watchdog: { port: Number(WATCHDOG_PORT) },
    }),
  heartbeat: () => lifesign({}),
  async terminus() {
    const { createTerminus } = await import('@godaddy/terminus');
    await listen(
      createTerminus(plain(), {
        healthChecks: { '/health': healthy },
        timeout: 10_000,
        beforeShutdown: () => sleep(drainDelay),
        onSignal: end,
      }),
    );
  },
  nest: () => startNest({ checks, route, port, drainDelay, onShutdown: end }),
};

const started = await subjects[name]();
process.send('listening');
await sleep(warmUp);
isWarm = true;
if (typeof started === 'function') started();
