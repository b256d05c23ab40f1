import { pathname, servedPaths } from '../core/endpoints.js';
import type { Feature } from '../core/feature.js';
import { replace } from '../core/replace.js';
import { untraced } from '../core/request/request.js';
import { type RequestStart, requestStarts } from '../core/runtime.js';

let subscribers = 0;

/**
 * Keeps the first request for an endpoint out of traces on a server that no Health knows yet, as one that is created around an application:
 * Node publishes a request before the instrumentation of OpenTelemetry gets it.
 */
export function silenceFirstProbe(): Feature<never> {
  subscribers += 1;
  if (subscribers === 1) requestStarts()?.subscribe(onStart);
  return {
    close() {
      subscribers -= 1;
      if (subscribers === 0) requestStarts()?.unsubscribe(onStart);
    },
  };
}

function onStart(message: unknown): void {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- Node's channel, which is typed as unknown
  const { request, server } = message as RequestStart;
  // oxlint-disable-next-line typescript/unbound-method -- applied to the server
  const { emit } = server;
  const untracedEmit = untraced(emit);
  // Servers that a Health knows have its own `emit`, which does the same.
  if (untracedEmit === emit || !servedPaths.has(pathname(request.url ?? ''))) return;
  const restore = replace(server, 'emit', (...args) => {
    restore();
    return Reflect.apply(untracedEmit, server, args);
  });
}
