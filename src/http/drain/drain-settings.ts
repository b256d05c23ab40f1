import type { HealthCore } from '../../core/health.js';
import { isServer } from './is-server.js';
import { drainInSteps } from './server.js';
import type { SteppedDrain } from './ending.js';
import { frameworkEnds, theFrameworkEnds } from './exit.js';

/** Options of every drain in a settings-style framework: no signals, since the framework receives them, and no way to end the process. */
export const byFramework = { signals: [], exit: frameworkEnds };

/**
 * Draining in settings-style frameworks: the framework receives the signal, waits for `settle` and ends the process itself.
 * None for a framework without a server, or if it is turned off.
 */
export function drainOf(server: unknown, health: HealthCore<never>): SteppedDrain | undefined {
  if (!isServer(server) || health.options.drain === undefined) return undefined;
  return hurried(drainInSteps(health, { server, ...byFramework }, theFrameworkEnds));
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
