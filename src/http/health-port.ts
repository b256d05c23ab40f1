import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerNotFound } from '../core/endpoints.js';
import { optionInvalid } from '../core/options/errors.js';
import type { HealthCore } from '../core/health.js';
import { listenOptions } from '../core/options/listen.js';
import { runInRequest } from '../core/request/request.js';
import { boundedServer } from './bounded-server.js';
import { begin } from './node/exchange.js';
import { respond } from './node/serve.js';

/** Those that have their port already: an application may be installed twice. */
const opened = new WeakSet<object>();

/** Serves the endpoints and the page on a port of their own, where the options ask for one. It keeps no process alive. */
export function openHealthPort(health: HealthCore<IncomingMessage>): void {
  const { healthPort: port } = health.options;
  if (port === undefined || opened.has(health)) return;
  opened.add(health);
  const { host } = listenOptions();
  const server = boundedServer((req, res) => serveApart(health, req, res));
  const log = (level: 20 | 40, msg: string, error?: unknown) =>
    health.log({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });
  server.on('error', (error) => log(40, `The health port ${host}:${port} cannot be used`, error));
  server.on('listening', () => {
    const address = server.address();
    const actual = typeof address === 'object' && address !== null ? address.port : port;
    log(20, `The health endpoints are served on ${host}:${actual}`);
  });
  server.listen(port, host);
  server.unref();
  health.onClose(() => {
    server.close();
    server.closeAllConnections();
  });
}

/** Where a handler takes a Request and gives a Response there is no server to put beside it. */
export function refuseHealthPort(port: number | undefined): void {
  if (port === undefined) return;
  throw optionInvalid(
    'Option healthPort',
    port,
    'left out where a handler takes a Request',
    'Use lifesign/node with a server of your own on that port.',
  );
}

function serveApart(health: HealthCore<IncomingMessage>, req: IncomingMessage, res: ServerResponse): void {
  const { method = '', url: target = '' } = req;
  const exchange = begin(health, req, res, target);
  exchange.served = true;
  runInRequest(exchange.context, () => {
    respond(req, res, health.handleApart(method, target, req) ?? answerNotFound);
  });
}
