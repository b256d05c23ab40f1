import type { HealthCore } from '../../core/health.js';
import type { Server } from './connections.js';
import type { Drain } from './options.js';
import { drainInSteps, type DrainOptions } from './server.js';

export type { Drain, DrainOptions };

/**
 * On SIGTERM or SIGINT: keeps answering for `drainDelay`, `/__lbheartbeat__` with 503, asks keep-alive clients to leave
 * with their next answer, then closes the server, waits for open requests, runs `onShutdown` and **ends the process**. `onShutdown`
 * runs as soon as only endless responses are left. A second signal ends it at once.
 *
 * @example drainOnSignals(server, health, { onShutdown: [() => pool.end()] });
 */
export function drainOnSignals(server: Server, health: HealthCore<never>, options: DrainOptions = {}): Drain {
  return drainInSteps(server, health, options);
}
