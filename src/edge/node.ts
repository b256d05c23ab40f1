// Replaces the code of http/fetch for Node's servers on runtimes without them.
import { originForm } from '../core/endpoints.js';
import { notOnEdge } from './errors.js';
import type * as fetchNode from '../http/fetch/node.js';
import type * as healthPort from '../http/no-health-port.js';
import type * as newerPeer from '../profiles/newer-peer.js';

export type { OnNode } from '../http/fetch/node.js';

export const nodeOf: typeof fetchNode.nodeOf = () => undefined;
export const joinExchange: typeof fetchNode.joinExchange = () => undefined;
export const isServed: typeof fetchNode.isServed = () => false;
export const isNoticed: typeof fetchNode.isNoticed = () => false;
export const targetOf: typeof fetchNode.targetOf = (request) => originForm(request.url);
export const onServerClose: typeof fetchNode.onServerClose = () => () => {};
/** There are no files to read a version from. */
export const warnIfNewer: typeof newerPeer.warnIfNewer = () => {};
export const refuseHealthPort: typeof healthPort.refuseHealthPort = (port) => {
  if (port !== undefined) throw notOnEdge('Option healthPort');
};
