// Replaces the code of http/fetch for Node's servers on runtimes without them.
import { originForm } from '../core/endpoints.js';
import { notOnEdge } from './errors.js';
import type * as fetchNode from '../http/fetch/node.js';
import type * as healthPort from '../http/no-health-port.js';

export type { OnNode } from '../http/fetch/node.js';

// Functions, and not constants: bundlers leave out calls of empty functions.
export function nodeOf(): undefined {}
export function joinExchange(): undefined {}
export function isServed(): undefined {}
export function isNoticed(): undefined {}
export const targetOf: typeof fetchNode.targetOf = (request) => originForm(request.url);
export function flushDeferred(): void {}
/** There are no files to read a version from. */
export function warnIfNewer(): void {}
export const refuseHealthPort: typeof healthPort.refuseHealthPort = (port) => {
  if (port !== undefined) throw notOnEdge('Option healthPort');
};
