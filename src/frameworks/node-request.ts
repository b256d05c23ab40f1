import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Summary } from '../core/summary.js';

/** A request of node:http, https or http2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A request header as one text. */
export function headerOf(req: NodeRequest, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** What the summary tells of a request that ended like this. */
export function summaryOf(req: NodeRequest, target: string, code: number, complete: boolean): Summary {
  const { 'user-agent': agent, 'accept-language': lang } = req.headers;
  return { method: req.method ?? '', target, code, complete, agent, lang };
}
