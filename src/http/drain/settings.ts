import type { HealthCore } from '../../core/health.js';
import { readSettings } from '../../profiles/settings/names.js';
import type { AnySettings } from '../../profiles/settings/types.js';
import { isServer } from './connections.js';
import { endingDeclaration } from './resolve.js';
import { delayDeclaration, drainInSteps } from './server.js';
import type { SteppedDrain } from './ending.js';
import { frameworkEnds, theFrameworkEnds } from './exit.js';
import type { EndingOptions } from './options.js';

type DrainSettings = Pick<
  AnySettings,
  'HEALTH_DRAIN_DELAY' | 'HEALTH_DRAIN_TIMEOUT' | 'HEALTH_FAIL_LBHEARTBEAT'
>;

/**
 * Draining in settings-style frameworks: the framework receives the signal, waits for `settle` and ends the process itself.
 * None for a framework without a server.
 */
export function drainOf(
  server: unknown,
  health: HealthCore<never>,
  settings: DrainSettings,
): SteppedDrain | undefined {
  if (!isServer(server)) return undefined;
  const { drainDelay } = readSettings(delayDeclaration, settings);
  const ending = endingOf(settings);
  const options = { ...(drainDelay !== undefined && { drainDelay }), ...ending };
  return hurried(drainInSteps(server, health, options, theFrameworkEnds));
}

/** The options of every drain in a settings-style framework: no signals, since the framework receives them, and no way to end the process. */
export function endingOf(settings: DrainSettings): EndingOptions {
  const { drainTimeout: limit, failLbheartbeat: fails } = endingDeclaration;
  const { drainTimeout, failLbheartbeat } = readSettings(
    { drainTimeout: limit, failLbheartbeat: fails },
    settings,
  );
  return {
    ...(drainTimeout !== undefined && { drainTimeout }),
    failLbheartbeat,
    signals: [],
    exit: frameworkEnds,
  };
}

/** The same draining, ended early by one more signal. */
export function hurried(drain: SteppedDrain): SteppedDrain {
  return { ...drain, settle: (reason) => hurriedBySignals(drain, reason) };
}

/** The framework has had the first signal: the user who sends one more does not want to wait. */
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
