import type { HealthCore } from '../../core/health.js';
import type { Drain, DrainOptions, Server } from './options.js';
import { drainInSteps } from './server.js';

export type { Drain, DrainOptions };

/**
 * On SIGTERM or SIGINT: keeps answering for `delay`, `/readyz` with 503, sends `Connection: close`
 * with each answer, then closes the server, waits for open requests, runs `onShutdown` and **ends the process**. `onShutdown`
 * runs as soon as only endless responses are left. A second signal ends it at once.
 *
 * @example drainOnSignals(health, { server, onShutdown: [() => pool.end()] });
 */
export function drainOnSignals(
  health: HealthCore<never>,
  options: DrainOptions & { readonly server: Server },
): Drain {
  return drainInSteps(health, options ?? {});
}
