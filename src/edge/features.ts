// profiles/features.ts and watchdog/feature.ts on edge workers: an instance that lives for a few requests has nothing to remember, and no thread.
import type * as features from '../profiles/features.js';
import type * as watchdog from '../watchdog/feature.js';
import { watchdogUnsupported } from '../watchdog/errors.js';
import { notOnEdge } from './errors.js';

export const openFeatures: typeof features.openFeatures = ({ options }) => {
  for (const option of ['page', 'probes', 'metrics', 'otel', 'keepAlive', 'every'] as const) {
    if (options[option]) throw notOnEdge(`Option ${option}`);
  }
  return [];
};

export const startWatchdog: typeof watchdog.startWatchdog = (_health, engine) => {
  if (engine.options.watchdog !== undefined) throw watchdogUnsupported();
};
