import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { answerNotFound } from '../core/endpoints.js';
import type { Engine } from '../core/health.js';
import { listenOptions } from '../core/options/variables.js';
import { runInRequest } from '../core/request/request.js';
import { boundedServer } from './bounded-server.js';
import { begin } from './node/exchange.js';
import { respond } from './node/serve.js';
import { isObject } from '../core/objects.js';

/** Those that have their port already: an application may be installed twice. */
const opened = new WeakSet<object>();

/** Serves the endpoints and the page on a port of their own, if the options ask for one. It keeps no process alive. */
export function openHealthPort(engine: Engine<IncomingMessage>): void {
  const { healthPort: port } = engine.options;
  if (port === undefined || opened.has(engine)) return;
  opened.add(engine);
  const { host } = listenOptions();
  const server = healthServer(engine);
  const log = (level: 20 | 40, msg: string, error?: unknown) =>
    engine.log({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });
  server.on('error', (error) => log(40, `Cannot listen on the health port ${host}:${port}`, error));
  server.on('listening', () => {
    const address = server.address();
    const actual = isObject(address) ? address.port : port;
    log(20, `Serving the health endpoints on ${host}:${actual}`);
  });
  server.listen(port, host);
  server.unref();
  engine.onClose(() => {
    opened.delete(engine);
    server.close();
    server.closeAllConnections();
  });
}

/** A server for the endpoints and the enabled features. It does not listen yet. */
export function healthServer(engine: Engine<IncomingMessage>): Server {
  return boundedServer((req, res) => serveOnHealthPort(engine, req, res));
}

function serveOnHealthPort(engine: Engine<IncomingMessage>, req: IncomingMessage, res: ServerResponse): void {
  const { method = '', url: target = '' } = req;
  const route = engine.matchAny(target);
  const exchange = begin(engine, req, res, target);
  exchange.serveBy(engine, target, route !== undefined);
  runInRequest(exchange, () => {
    const answer = route === undefined ? answerNotFound : engine.answer(route, method, target, req);
    respond(engine, res, answer);
  });
}
