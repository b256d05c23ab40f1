// The part of node.ts that follows a request on Node's servers.
import { begin, type Exchange, exchangeOf, type HealthOnNode } from '../node/exchange.js';
import { watchServerOf } from '../node/watch-server.js';
import type { NodeRequest, NodeResponse } from '../node/node-http.js';

/** Node's own request and response, below a Request; an upgrade has no response. */
export interface OnNode {
  readonly incoming: NodeRequest;
  readonly outgoing: NodeResponse | undefined;
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
  if (known === undefined) watchServerOf(health, incoming, outgoing);
  const exchange = known ?? (outgoing && begin(health, incoming, outgoing, target));
  exchange?.serveBy(health, target, isHealthRequest);
  return exchange;
}

export function isServed(node: OnNode): boolean {
  return exchangeOf(node.incoming)?.served === true;
}

/** Whether the request will have its summary in any case, since its server is watched. */
export function isNoticed(node: OnNode): boolean {
  return exchangeOf(node.incoming) !== undefined;
}
