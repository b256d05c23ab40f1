import { type HealthCore, isHealth } from '../../core/health.js';
import { warnDeprecated } from '../../core/options/deprecation.js';
import { appInvalid } from '../../core/options/errors.js';
import type { Server } from './is-server.js';
import type { Drain } from './options.js';
import { drainInSteps, type DrainOptions } from './server.js';

export type { Drain, DrainOptions };

/** @deprecated LIFESIGN_DEP005: write `drainOnSignals(health, { server })`. */
export function drainOnSignals(server: Server, health: HealthCore<never>, options?: DrainOptions): Drain;
// After the old one: compilers explain a mistake by the last.
/**
 * On SIGTERM or SIGINT: keeps answering for `delay`, `/readyz` with 503, asks keep-alive clients to leave
 * with their next answer, then closes the server, waits for open requests, runs `onShutdown` and **ends the process**. `onShutdown`
 * runs as soon as only endless responses are left. A second signal ends it at once.
 *
 * @example drainOnSignals(health, { server, onShutdown: [() => pool.end()] });
 */
export function drainOnSignals(
  health: HealthCore<never>,
  options: DrainOptions & { readonly server: Server },
): Drain;
export function drainOnSignals(
  first: HealthCore<never> | Server,
  second?: HealthCore<never> | DrainOptions,
  options?: DrainOptions,
): Drain {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the signatures have options after a Health
  if (isHealth(first)) return drainInSteps(first, (second ?? {}) as DrainOptions);
  if (!isHealth(second)) throw appInvalid('a Health', first, 'drainOnSignals(health, { server })');
  warnDeprecated(5, 'drainOnSignals(server, health)', 'write drainOnSignals(health, { server })');
  return drainInSteps(second, { ...options, server: first });
}
