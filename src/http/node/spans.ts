import { mayTrace } from '../../core/request/trace.js';
import { exchangeOf } from './exchange.js';
import type { NodeRequest } from './request.js';

/** Servers that have the listener. */
const followed = new WeakSet<object>();

/**
 * The instrumentation of OpenTelemetry opens the span of a request below `emit`, after us: the first listener for requests
 * is the first to be inside of it. Only if OpenTelemetry is in the process, which may be loaded later than the server.
 */
export function followSpans(server: object): void {
  if (!mayTrace() || followed.has(server)) return;
  followed.add(server);
  if ('prependListener' in server && typeof server.prependListener === 'function') {
    server.prependListener('request', noteTrace);
  }
}

/** Takes the listener away. */
export function forgetSpans(server: object): void {
  if (!followed.delete(server)) return;
  if ('removeListener' in server && typeof server.removeListener === 'function') {
    server.removeListener('request', noteTrace);
  }
}

function noteTrace(req: NodeRequest): void {
  exchangeOf(req)?.lookForTrace();
}
