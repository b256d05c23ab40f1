import { createServer } from 'node:http';
import { Health } from 'lifesign/node';
import { addChecks, body, ready } from './checks.mjs';

const text = JSON.stringify(body);
const hello = (_req, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
  res.end(text);
};

export const bare = () => createServer(hello);

const withHealth = (options, count = 3, asynchronous = true) => {
  const server = createServer(hello);
  addChecks(new Health(server, options), count, asynchronous);
  return server;
};
// What the peers do: endpoints alone. The rest are options of their own.
const alone = { summary: false, requestContext: false };
export const lifesign = () => withHealth(alone);
export const lifesignWatchdog = () => withHealth({ ...alone, watchdog: { port: 0 } });
/** What any thread costs the route: the least that a watchdog can. */
export const idleThread = async () => {
  const { Worker } = await import('node:worker_threads');
  new Worker('setInterval(() => {}, 1e9)', { eval: true }).unref();
  return withHealth(alone);
};
export const lifesignMetrics = () => withHealth({ ...alone, metrics: true });
export const lifesignRequests = () => withHealth({ ...alone, metrics: { requests: true } });
export const sentryAnr = async () => {
  const { watch } = await import('../watchdogs.mjs');
  await watch.sentry(() => {});
  return withHealth(alone);
};
export const blockedAt = async () => {
  const { watch } = await import('../watchdogs.mjs');
  await watch.blockedAt(() => {});
  return withHealth(alone);
};
export const lifesign30 = () => withHealth(alone, 30);
export const lifesign100 = () => withHealth(alone, 100);
export const lifesign300 = () => withHealth(alone, 300);
export const lifesign3sync = () => withHealth(alone, 3, false);
export const lifesign300sync = () => withHealth(alone, 300, false);
export const lifesignContext = () => withHealth({ summary: false });
export const lifesignSummary = () => withHealth({ requestContext: false });
export const lifesignDefault = () => withHealth({});
/** The same without code: the server gets its Health when it listens. */
export const lifesignAuto = async () => {
  process.env.HEALTH_AUTO = 'true';
  await import('lifesign/auto');
  return createServer(hello);
};

export const terminus = async () => {
  const { createTerminus } = await import('@godaddy/terminus');
  return createTerminus(createServer(hello), {
    healthChecks: {
      '/live': ready,
      '/ready': async () => Promise.all([ready(), ready(), ready()]),
    },
  });
};

export const pinoHttpSummary = async () => {
  const { pinoHttp } = await import('pino-http');
  const log = pinoHttp();
  return createServer((req, res) => {
    log(req, res);
    hello(req, res);
  });
};

export const pinoSummary = async () => {
  const { pino } = await import('pino');
  const log = pino();
  return createServer((req, res) => {
    res.once('close', () => log.info({ method: req.method, url: req.url, code: res.statusCode }));
    hello(req, res);
  });
};

export const winstonSummary = async () => {
  const { default: winston } = await import('winston');
  const log = winston.createLogger({
    format: winston.format.json(),
    transports: [new winston.transports.Console()],
  });
  return createServer((req, res) => {
    res.once('close', () => log.info('request', { method: req.method, url: req.url, code: res.statusCode }));
    hello(req, res);
  });
};

/** lightship answers on a server of its own, without checks. */
export const lightship = async () => {
  const { default: lightshipModule } = await import('lightship');
  const { createLightship } = lightshipModule;
  const ship = await createLightship({ detectKubernetes: false, port: 0 });
  ship.signalReady();
  return ship.server;
};
