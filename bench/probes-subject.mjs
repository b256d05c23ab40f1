// One instance of a service with a pool and a Redis; the library that is named reports its health: `node probes-subject.mjs lifesign`.
import dns from 'node:dns';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { startNest } from './nest-app.mjs';

const [name] = process.argv.slice(2);
const {
  VERDICTS,
  DATABASE_URL,
  REDIS_URL,
  PEERS,
  PORT,
  WATCHDOG_PORT,
  SLOW_START = '0',
  LEAKS_EVERY,
  LEAKS_WHILE,
} = process.env;
const port = Number(PORT);
const warmUp = Number(SLOW_START);
/** How long each of them keeps serving after SIGTERM, as their documentation shows it. */
const delay = 1500;
const connections = 3;

// The database and the peers have names, so that DNS can fail.
let hasDns = true;
const named = (text) => text.replaceAll('127.0.0.1', 'shop.test');
const { lookup } = dns;
dns.lookup = (host, options, callback) => {
  if (isIP(host) !== 0 || !host.endsWith('.test')) return lookup(host, options, callback);
  const gone = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
    code: 'ENOTFOUND',
    hostname: host,
  });
  if (!hasDns) return setImmediate(() => callback(gone));
  return lookup('127.0.0.1', options, callback);
};

const pool = new Pool({
  connectionString: named(DATABASE_URL),
  max: connections,
  connectionTimeoutMillis: 1500,
});
pool.on('error', () => {});
const redis = REDIS_URL && new Redis(REDIS_URL, { maxRetriesPerRequest: 1, commandTimeout: 1500 });
redis?.on('error', () => {});
const end = async () => {
  redis?.disconnect();
  await pool.end();
};

/** Whether the cache is warm: before that the service answers with an error page. */
let isWarm = warmUp === 0;
let requests = 0;
const leak = () => pool.connect().catch(() => {});
/** Whether requests come that leak: always, or while a file is there. */
const leaks = () => LEAKS_WHILE === undefined || existsSync(LEAKS_WHILE);

const routes = {
  async '/leak'() {
    await Promise.all(Array.from({ length: connections }, leak));
    return 'leaked';
  },
  '/block'() {
    setTimeout(() => {
      for (const until = Date.now() + 6000; Date.now() < until;);
    });
    return 'blocked';
  },
  '/slow': () => pool.query('SELECT pg_sleep(4)').then(() => 'slow'),
  /** Holds a connection without a query, as a request does that calls another service within a transaction. */
  async '/hold'() {
    const client = await pool.connect();
    await client.query('BEGIN');
    await sleep(15_000);
    await client.query('COMMIT');
    client.release();
    return 'held';
  },
  '/dns-gone': () => String((hasDns = false)),
  '/dns-back': () => String((hasDns = true)),
  async '/'() {
    if (!isWarm) throw new Error('not warm yet');
    requests += 1;
    if (LEAKS_EVERY !== undefined && requests % Number(LEAKS_EVERY) === 0 && leaks()) void leak();
    await pool.query('SELECT page()');
    await redis?.get('greeting');
    return 'hello';
  },
};
const route = async (url) => routes[url]();
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
// As their documentation shows it: one round trip over the client of the application.
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
    summary: false,
    logger: false,
    ...options,
  });
  // VERDICTS=true npm run test:probes -- peers leaked: why an instance left.
  if (VERDICTS === 'true') {
    health.on('verdictChanged', ({ live, ready, checks }) => {
      const why = checks.map((check) => `${check.name} ${check.scope}: ${check.evidence}`).join(', ');
      console.error(`${process.uptime().toFixed(1)} s ${port} live ${live} ready ${ready} ${why}`);
    });
  }
  drainOnSignals(health, { server, delay, onShutdown: [end] });
  await listen(server);
  return () => health.started();
}

const withProbes = (probes) => () =>
  lifesign({
    probes: { ...probes, ...(warmUp > 0 && { startWhen: 'called' }) },
    watchdog: { port: Number(WATCHDOG_PORT) },
  });

const subjects = {
  lifesign: withProbes({}),
  peers: withProbes({ peers: named(PEERS ?? '').split(',') }),
  heartbeat: () => lifesign({ timeout: 1500 }),
  async terminus() {
    const { createTerminus } = await import('@godaddy/terminus');
    await listen(
      createTerminus(plain(), {
        healthChecks: { '/health': healthy },
        timeout: 10_000,
        beforeShutdown: () => sleep(delay),
        onSignal: end,
      }),
    );
  },
  nest: () => startNest({ checks, route, port, delay, onShutdown: end }),
};

const started = await subjects[name]();
process.send('listening');
await sleep(warmUp);
isWarm = true;
if (typeof started === 'function') started();
