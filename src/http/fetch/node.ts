import { originForm } from '../../core/endpoints.js';
import { isObject } from '../../core/objects.js';
import {
  begin,
  type Exchange,
  exchangeOf,
  type HealthOnNode,
  type NodeRequest,
  type NodeResponse,
} from '../node/exchange.js';
import { watchServerOf } from '../node/watch-server.js';

/** Node's own request and response, below a Request; an upgrade has no response. */
export interface OnNode {
  readonly incoming: NodeRequest;
  readonly outgoing: NodeResponse | undefined;
}

/**
 * Node's objects if the server passes them on: beside the Request (@hono/node-server, @whatwg-node/server) or
 * on it (srvx). Undefined on other servers.
 */
export function nodeOf(request: Request, serverContext: unknown): OnNode | undefined {
  if (isObject(serverContext)) {
    if ('incoming' in serverContext)
      return pair(serverContext.incoming, Reflect.get(serverContext, 'outgoing'));
    if ('req' in serverContext) return pair(serverContext.req, Reflect.get(serverContext, 'res'));
  }
  if (!('runtime' in request)) return undefined;
  const node: unknown = isObject(request.runtime) ? Reflect.get(request.runtime, 'node') : undefined;
  return isObject(node) ? pair(Reflect.get(node, 'req'), Reflect.get(node, 'res')) : undefined;
}

function pair(incoming: unknown, outgoing: unknown): OnNode | undefined {
  if (!isIncoming(incoming)) return undefined;
  return { incoming, outgoing: isOutgoing(outgoing) ? outgoing : undefined };
}

/**
 * The exchange on Node's server that a Request belongs to: its summary is logged when the last byte is sent, or the client leaves.
 * From the first one on the server is watched: requests that it refuses before it makes a Request have a summary too.
 */
export function joinExchange(
  health: HealthOnNode,
  { incoming, outgoing }: OnNode,
  target: string,
  isHealthRequest: boolean,
): Exchange | undefined {
  const known = exchangeOf(incoming);
  // Its exchange has begun where its server is watched.
  if (known === undefined) watchServerOf(health, incoming);
  const exchange = known ?? (outgoing && begin(health, incoming, outgoing, target));
  exchange?.serveBy(health, target, isHealthRequest);
  return exchange;
}

/** The exchange of a request that a Health has had already, or whose server is watched. */
export function knownExchange(node: OnNode | undefined): Exchange | undefined {
  return node && exchangeOf(node.incoming);
}

/**
 * Path and query of a request as they were sent, if that is known. A Request has them normalised: `/x/../y` is
 * `/y` there, and a guard of `/y` would be bypassed.
 */
export function targetOf(request: Request, raw: string | undefined): string {
  const { url } = request;
  // The usual case: the target follows the host as it was sent. The first slash after `http://h` is where it begins.
  if (raw?.startsWith('/') === true && url.endsWith(raw) && url.indexOf('/', 8) === url.length - raw.length)
    return raw;
  const given = originForm(url);
  if (raw === undefined || raw === given) return given;
  // The address that the server read, not one that the application has replaced, for example under a prefix.
  const same = raw.startsWith('/') ? normal(raw) === given : normal(raw) === given || url.endsWith(raw);
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
