import { engineOf, type HealthCore } from '../core/health.js';
import { flag } from '../core/options/rules.js';
import { readOption } from '../core/options/read-option.js';
import { environment } from '../core/runtime.js';
import { byFramework, hurried } from '../http/drain/drain-settings.js';
import type { SteppedDrain } from '../http/drain/ending.js';
import type { NodeRequest } from '../http/node/request.js';
import { errorAsWritten } from '../profiles/settings/capitals.js';
import type { AnySettings } from '../profiles/settings/types.js';
import { drainInSteps } from './drain.js';
import { openWorker } from './open.js';
import { type PlaceOptions, resolvePlaces } from './places.js';
import type { Stoppable } from './stoppable.js';

const settingOf: Readonly<Record<keyof PlaceOptions, string>> = {
  port: 'HEALTH_PORT',
  socket: 'HEALTH_SOCKET',
  file: 'HEALTH_FILE',
  fileInterval: 'HEALTH_FILE_INTERVAL',
};

/** Serves the endpoints of a settings-style application without an HTTP server. Whether it does. */
export function openBySettings<FrameworkRequest>(
  health: HealthCore<NodeRequest, FrameworkRequest>,
  settings: AnySettings,
): boolean {
  try {
    return open(health, settings);
  } catch (error) {
    throw errorAsWritten(settings, error);
  }
}

function open<FrameworkRequest>(
  health: HealthCore<NodeRequest, FrameworkRequest>,
  settings: AnySettings,
): boolean {
  const {
    HEALTH_PORT: short,
    HEALTH_HEALTH_PORT: port = short,
    HEALTH_SOCKET: socket,
    HEALTH_FILE: file,
    HEALTH_FILE_INTERVAL: fileInterval,
    HEALTH_WORKER: wanted,
  } = settings;
  const env = environment();
  const named = [port, socket, file, env['HEALTH_PORT'], env['HEALTH_SOCKET'], env['HEALTH_FILE']];
  // A test that makes a module of the application wants no port.
  const usual = env['NODE_ENV'] !== 'test' || named.some((given) => given !== undefined && given !== '');
  if (!readOption(wanted, 'worker', flag, usual, 'HEALTH_WORKER', true)) return false;
  const places = resolvePlaces({ port, socket, file, fileInterval }, (option) => settingOf[option], true);
  const hint = 'If this is a command that runs beside a service, write HEALTH_WORKER: false.';
  // It is in the log.
  openWorker(engineOf(health), places, hint).catch(() => {});
  return true;
}

/** The draining of such an application: the framework receives the signal, waits for `settle` and ends the process itself. */
export function drainBySettings(
  health: HealthCore<never>,
  queueWorkers: readonly Stoppable[],
): SteppedDrain | undefined {
  if (health.options.drain === undefined) return undefined;
  return hurried(
    drainInSteps(health, { ...byFramework, ...(queueWorkers.length > 0 && { stop: queueWorkers }) }),
  );
}
