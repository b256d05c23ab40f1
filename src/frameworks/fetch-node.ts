import { originForm } from '../core/endpoints.js';
import type { NodeRequest, NodeResponse } from './node-http.js';

/** Node's own request and response, below a Request. */
export interface Exchange {
  readonly incoming: NodeRequest;
  readonly outgoing: NodeResponse | undefined;
}

/**
 * Node's objects where the server hands them out: beside the Request (@hono/node-server, @whatwg-node/server) or
 * on it (srvx). Undefined on other servers.
 */
export function exchangeOf(request: Request, beside: unknown): Exchange | undefined {
  if (isObject(beside)) {
    if ('incoming' in beside) return exchange(beside.incoming, Reflect.get(beside, 'outgoing'));
    if ('req' in beside) return exchange(beside.req, Reflect.get(beside, 'res'));
  }
  if (!('runtime' in request)) return undefined;
  const node: unknown = isObject(request.runtime) ? Reflect.get(request.runtime, 'node') : undefined;
  return isObject(node) ? exchange(Reflect.get(node, 'req'), Reflect.get(node, 'res')) : undefined;
}

function exchange(incoming: unknown, outgoing: unknown): Exchange | undefined {
  if (!isIncoming(incoming)) return undefined;
  return { incoming, outgoing: isOutgoing(outgoing) ? outgoing : undefined };
}

/**
 * Path and query of a request as they were sent, where that can be known. A Request has them normalised: `/x/../y` is
 * `/y` there, and whoever kept strangers from `/y` has let them pass.
 */
export function targetOf(request: Request, raw: string | undefined): string {
  const given = originForm(request.url);
  if (raw === undefined || raw === given) return given;
  // What the server made of it, and not what an application has put in its place, as where it is mounted under a prefix.
  const same = raw.startsWith('/')
    ? normal(raw) === given
    : normal(raw) === given || request.url.endsWith(raw);
  return same ? originForm(raw) : given;
}

function normal(target: string): string | undefined {
  const address = target.startsWith('/') ? `http://h${target}` : target;
  return URL.canParse(address) ? originForm(new URL(address).href) : undefined;
}

function isIncoming(value: unknown): value is NodeRequest {
  return isObject(value) && 'url' in value && typeof value.url === 'string' && 'socket' in value;
}

function isOutgoing(value: unknown): value is NodeResponse {
  return isObject(value) && 'headersSent' in value && 'writableEnded' in value && 'on' in value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
