import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerNotFound } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import { listenOptions } from '../core/options/variables.js';
import { runInRequest } from '../core/request/request.js';
import { begin } from './node/exchange.js';
import { respond } from './node/serve.js';
import { isObject } from '../core/objects.js';

/** Those that have their port already: an application may be installed twice. */
const opened = new WeakSet<object>();

/** Serves the endpoints and the page on a port of their own, if the options set one. It keeps no process alive. */
export function openHealthPort(health: HealthCore<IncomingMessage>): void {
  const { healthPort: port } = health.options;
  if (port === undefined || opened.has(health)) return;
  opened.add(health);
  const { host } = listenOptions();
  const server = healthServer(health);
  server.on('error', (error) => health.logError(`Cannot listen on the health port ${host}:${port}`, error));
  server.on('listening', () => {
    const address = server.address();
    const actual = isObject(address) ? address.port : port;
    health.say(levels.info, `Serving the health endpoints on ${host}:${actual}`);
  });
  server.listen(port, host);
  server.unref();
  health.onClose(() => {
    opened.delete(health);
    server.close();
    server.closeAllConnections();
  });
}

/** A server for the endpoints and the enabled features. It does not listen yet. */
export function healthServer(health: HealthCore<IncomingMessage>): Server {
  return boundedServer((req, res) => {
    const { method = '', url: target = '' } = req;
    const route = health.matchAny(target);
    const exchange = begin(health, req, res, target);
    exchange.serveBy(health, target, route !== undefined);
    runInRequest(exchange, () => {
      const answer = route === undefined ? answerNotFound : health.answer(route, method, target, req);
      respond(health, res, answer);
    });
  });
}

// Requests of probes are small and arrive at once. Node's own limits suit an application behind a proxy.
const limits = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};
const maxSilence = 120_000;
const maxRequestsPerConnection = 1000;
/** Below the 1,024 open files that many systems allow. */
const maxConnections = 500;

/** On servers of lifesign itself: lifesign/auto leaves them alone. */
const ownServer: symbol = Symbol.for('lifesign.server.1');

/** A server whose clients can neither hold it up nor fill its memory. */
export function boundedServer(listener: RequestListener): Server {
  // Not imported: only code that needs a server loads it.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(limits, listener);
  Reflect.set(server, ownServer, true);
  server.timeout = maxSilence;
  server.maxRequestsPerSocket = maxRequestsPerConnection;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // The oldest gives way: with maxConnections it would be the probe that is turned away.
    for (const oldest of open) {
      if (open.size <= maxConnections) break;
      open.delete(oldest);
      oldest.destroy();
    }
  });
  return server;
}
