// The build for edge workers has this in place of node.ts: no Request there belongs to a server of Node.
import { originForm } from '../../core/endpoints.js';
import type * as node from './node.js';

// Functions, and not constants: bundlers leave out calls of empty functions.
export function nodeOf(): undefined {}
export function joinExchange(): undefined {}
export function knownExchange(): undefined {}
export const targetOf: typeof node.targetOf = (request) => originForm(request.url);
