import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { Health } from 'lifesign/node';
import { addChecks, body, ready } from './checks.mjs';
import { floor as byHandFloor } from './floor.mjs';

const text = JSON.stringify(body);
const hello = (_req, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
  res.end(text);
};

/** The calibration: the least that node:http can answer. */
export const empty = () => createServer((_req, res) => res.end());
export const bare = () => createServer(hello);
export const floor = async () => byHandFloor(bare(), false);
export const floorInContext = async () => byHandFloor(bare(), true);

const withHealth = (options, checks, asynchronous) => {
  const server = createServer(hello);
  addChecks(new Health(server, options), checks, asynchronous);
  return server;
};
export const lifesign = (options, checks) => withHealth(options, checks);
export const synchronous = (options, checks) => withHealth(options, checks, false);
/** The same without code: the server gets its Health when it listens. */
export const auto = async () => {
  process.env.HEALTH_AUTO = 'true';
  await import('lifesign/auto');
  return createServer(hello);
};

/** What any thread costs the route: the least that a watchdog can. */
export const idleThread = async (options) => {
  const { Worker } = await import('node:worker_threads');
  new Worker('setInterval(() => {}, 1e9)', { eval: true }).unref();
  return withHealth(options, 3);
};
const watched = (name) => async (options) => {
  const { watch } = await import('../watchdogs.mjs');
  await watch[name](() => {});
  return withHealth(options, 3);
};
export const sentryAnr = watched('sentry');
export const blockedAt = watched('blockedAt');

export const terminus = async () => {
  const { createTerminus } = await import('@godaddy/terminus');
  return createTerminus(createServer(hello), {
    healthChecks: {
      '/live': ready,
      '/ready': async () => Promise.all([ready(), ready(), ready()]),
    },
  });
};

export const pinoHttp = async () => {
  const { pinoHttp: middleware } = await import('pino-http');
  const log = middleware();
  return createServer((req, res) => {
    log(req, res);
    hello(req, res);
  });
};

export const pino = async () => {
  const { pino: create } = await import('pino');
  const log = create();
  return createServer((req, res) => {
    res.once('close', () => log.info({ method: req.method, url: req.url, code: res.statusCode }));
    hello(req, res);
  });
};

export const winston = async () => {
  const { default: library } = await import('winston');
  const log = library.createLogger({
    format: library.format.json(),
    transports: [new library.transports.Console()],
  });
  return createServer((req, res) => {
    res.once('close', () => log.info('request', { method: req.method, url: req.url, code: res.statusCode }));
    hello(req, res);
  });
};

/** The fields of a summary as people write them by hand: all of a turn in one write, and nothing of what can go wrong. */
export const byHand = () => {
  const origin = { Type: 'request.summary', Logger: 'app', Hostname: hostname(), EnvVersion: '2.0' };
  let lines = '';
  const write = () => {
    writeSync(1, lines);
    lines = '';
  };
  return createServer((req, res) => {
    const started = performance.now();
    res.once('close', () => {
      const { method, url: path, headers } = req;
      const { 'user-agent': agent = '', 'accept-language': lang = '' } = headers;
      const t = Math.round(performance.now() - started);
      const Fields = {
        errno: 0,
        agent,
        lang,
        method,
        path,
        code: res.statusCode,
        uid: '',
        rid: randomUUID(),
        t,
      };
      if (lines === '') setImmediate(write);
      lines += `${JSON.stringify({ Timestamp: Date.now() * 1e6, ...origin, Severity: 6, Pid: process.pid, Fields })}\n`;
    });
    hello(req, res);
  });
};

/** lightship answers on a server of its own, without checks. */
export const lightship = async () => {
  const { createLightship } = await import('lightship');
  const ship = await createLightship({ detectKubernetes: false, port: 0 });
  ship.signalReady();
  return ship.server;
};
