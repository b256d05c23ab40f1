import type { HealthCore } from '../core/health.js';
import { flag } from '../core/options/rules.js';
import { readOption } from '../core/options/read-options.js';
import { environment } from '../core/runtime.js';
import { byFramework } from '../http/drain/server.js';
import type { SteppedDrain } from '../http/drain/ending.js';
import type { NodeRequest } from '../http/node/exchange.js';
import type { AnySettings } from '../profiles/settings/settings.js';
import { drainInSteps, type Stoppable } from './drain.js';
import { resolvePlaces } from './places.js';
import { openWorker } from './serving.js';

/** Serves the endpoints of a settings-style application without an HTTP server. Returns whether it does. */
export function openBySettings<FrameworkRequest>(
  health: HealthCore<NodeRequest, FrameworkRequest>,
  settings: AnySettings,
): boolean {
  const { healthPort: port, file, worker } = settings;
  const env = environment();
  const explicit = [port, file, env['HEALTH_PORT'], env['HEALTH_FILE']];
  // A test that creates a module of the application needs no port.
  const usual = env['NODE_ENV'] !== 'test' || explicit.some((value) => value !== undefined && value !== '');
  if (!readOption(worker, 'worker', flag, usual)) return false;
  const places = resolvePlaces({ port, file }, 'healthPort');
  const hint = ' If this is a command that runs beside a service, write worker: false.';
  // The error is in the log.
  openWorker(health, places, hint).catch(() => {});
  return true;
}

/** The draining of such an application: the framework receives the signal, waits for `settle` and ends the process itself. */
export function drainBySettings(
  health: HealthCore<never>,
  queueWorkers: readonly Stoppable[],
): SteppedDrain | undefined {
  if (health.options.drain === undefined) return undefined;
  return drainInSteps(health, { ...byFramework, ...(queueWorkers.length > 0 && { stop: queueWorkers }) });
}
