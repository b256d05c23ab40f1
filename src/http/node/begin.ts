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

/** The exchange that began last on a connection and is not over. */
export function latestOf(socket: object & Carrying): Exchange | undefined {
  return socket[latest];
}

/** Whether a connection has had an exchange. */
export function hasCarried(socket: object): boolean {
  return latest in socket;
}

/** Notices a request; its summary is logged when the response ends, however that comes. */
export function begin(health: Reporter, req: NodeRequest, res: NodeResponse, target: string): Exchange {
  const exchange = new Exchange(health, req, target);
  if (!health.tracks) return exchange;
  // Streams of HTTP/2 share their socket, and each has its own event for its end.
  const socket: (object & Carrying) | undefined = req.httpVersionMajor === 1 ? req.socket : undefined;
  if (socket !== undefined) socket[latest] = exchange;
  onOver(req, res, () => {
    if (socket?.[latest] === exchange) socket[latest] = undefined;
    exchange.finish(outcomeOf(req, res, exchange.refusedWith));
    if (!exchange.complete) keepListeners(req, exchange);
  });
  // Without a connection, as on serverless platforms, a response is finished and never closes.
  if (!isConnection(req.socket))
    res.on('finish', () => exchange.finish({ code: res.statusCode, complete: true }));
  return exchange;
}
