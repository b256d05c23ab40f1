import { keepListeners } from './body-events.js';
import { Exchange, type Reporter } from './exchange.js';
import { outcomeOf } from './outcome.js';
import { isConnection, onOver } from './over.js';
import type { NodeRequest, NodeResponse } from './request.js';

/** The key under which a connection keeps the exchange that began last. */
const latest = Symbol.for('lifesign.latest.1');

interface Carrying {
  [latest]?: Exchange | undefined;
}

/** The exchange that began last on a connection, until it has ended and its body has come: of one that is answered early, bytes may follow. */
export function latestOf(socket: object & Carrying): Exchange | undefined {
  const exchange = socket[latest];
  return exchange?.isOver === true && exchange.req.complete ? undefined : exchange;
}

/** Whether a connection has had an exchange. */
export function hasCarried(socket: object): boolean {
  return latest in socket;
}

/** Notes that a connection closes before the application hears of it: an answer that begins later is not read. */
function watchEnd(socket: NodeRequest['socket'] & Carrying): void {
  socket.prependOnceListener('close', () => socket[latest]?.noteEnd());
}

/** Notices a request; its summary is logged when the response ends, however that comes. */
export function begin(health: Reporter, req: NodeRequest, res: NodeResponse, target: string): Exchange {
  const exchange = new Exchange(health, req, target, res);
  if (!health.tracks) return exchange;
  // Streams of HTTP/2 share their socket, and each has its own event for its end.
  const socket: (object & Carrying) | undefined = req.httpVersionMajor === 1 ? req.socket : undefined;
  if (socket !== undefined) {
    if (!hasCarried(socket) && isConnection(req.socket)) watchEnd(req.socket);
    socket[latest] = exchange;
  }
  onOver(req, res, () => {
    if (socket?.[latest] === exchange && req.complete) socket[latest] = undefined;
    exchange.finish(outcomeOf(req, res, exchange));
    if (!exchange.complete) keepListeners(req, exchange);
  });
  // Without a connection, as on serverless platforms, a response is finished and never closes.
  if (!isConnection(req.socket))
    res.on('finish', () => exchange.finish({ code: res.statusCode, complete: true }));
  return exchange;
}
