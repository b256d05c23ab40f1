import type { HealthCore } from '../../core/health.js';
import { optional, duration, timeout, flag } from '../../core/options/rules.js';
import { readOption } from '../../core/options/options.js';
import type { AnySettings } from '../../profiles/settings/settings.js';
import { isServer } from './connections.js';
import { drainInSteps } from './server.js';
import type { SteppedDrain } from './ending.js';
import { frameworkEnds, theFrameworkEnds } from './exit.js';
import type { EndingOptions } from './options.js';

type DrainSettings = Pick<
  AnySettings,
  'HEALTH_DRAIN_DELAY' | 'HEALTH_DRAIN_TIMEOUT' | 'HEALTH_FAIL_LBHEARTBEAT'
>;

/**
 * Draining in settings-style frameworks: the framework hears the signal, waits for `settle` and ends the process itself.
 * None for a framework without a server.
 */
export function drainOf(
  server: unknown,
  health: HealthCore<never>,
  settings: DrainSettings,
): SteppedDrain | undefined {
  if (!isServer(server)) return undefined;
  const { HEALTH_DRAIN_DELAY: delay } = settings;
  const drainDelay = readOption(
    delay,
    'drainDelay',
    optional(duration),
    undefined,
    'HEALTH_DRAIN_DELAY',
    true,
  );
  const ending = endingOf(settings);
  const options = { ...(drainDelay !== undefined && { drainDelay }), ...ending };
  return hurried(drainInSteps(server, health, options, theFrameworkEnds));
}

/** What every drain in a settings-style framework gets: no signals, since the framework hears them, and no way to end the process. */
export function endingOf(settings: DrainSettings): EndingOptions {
  const { HEALTH_DRAIN_TIMEOUT: limit, HEALTH_FAIL_LBHEARTBEAT: fail } = settings;
  const drainTimeout = readOption(
    limit,
    'drainTimeout',
    optional(timeout),
    undefined,
    'HEALTH_DRAIN_TIMEOUT',
    true,
  );
  return {
    ...(drainTimeout !== undefined && { drainTimeout }),
    failLbheartbeat: readOption(fail, 'failLbheartbeat', flag, true, 'HEALTH_FAIL_LBHEARTBEAT', true),
    signals: [],
    exit: frameworkEnds,
  };
}

/** The same draining, ended early by one more signal. */
export function hurried(drain: SteppedDrain): SteppedDrain {
  return { ...drain, settle: (reason) => hurriedBySignals(drain, reason) };
}

/** The framework has had the first signal: one more, and nobody wants to wait any longer. */
async function hurriedBySignals(drain: SteppedDrain, reason: string): Promise<void> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const hurry = () => drain.hurry();
  for (const signal of signals) process.on(signal, hurry);
  try {
    await drain.settle(reason);
  } finally {
    for (const signal of signals) process.off(signal, hurry);
  }
}
