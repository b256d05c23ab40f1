import type { HealthCore } from '../core/health.js';
import { pause, timeout, truth } from '../core/option-rules.js';
import { readOption } from '../core/options.js';
import type { AnySettings } from '../profiles/settings.js';
import { isServer } from './connections.js';
import { type Drain, drainOnSignals } from './drain.js';

/**
 * The draining of profile A: the framework hears the signal, waits for `start` and ends the process itself.
 * None for a framework without a server.
 */
export function drainOf(
  server: unknown,
  health: HealthCore<never>,
  settings: AnySettings,
): Drain | undefined {
  if (!isServer(server)) return undefined;
  const { HEALTH_DRAIN_DELAY: delay, HEALTH_DRAIN_TIMEOUT: limit, HEALTH_FAIL_LBHEARTBEAT: fail } = settings;
  return drainOnSignals(server, health, {
    drainDelay: readOption(delay, 'drainDelay', pause, 5000, 'HEALTH_DRAIN_DELAY'),
    drainTimeout: readOption(limit, 'drainTimeout', timeout, 10_000, 'HEALTH_DRAIN_TIMEOUT'),
    failLbheartbeat: readOption(fail, 'failLbheartbeat', truth, true, 'HEALTH_FAIL_LBHEARTBEAT'),
    signals: [],
    exit: () => {},
  });
}
