// profiles/features.ts and watchdog/feature.ts on edge workers: an instance that lives for a few requests has nothing to remember, and no thread.
import type * as features from '../profiles/features.js';
import { notOnEdge } from './errors.js';

export const openFeatures: typeof features.openFeatures = ({ options }) => {
  for (const option of ['otel', 'keepAlive', 'every'] as const) {
    if (options[option]) throw notOnEdge(`Option ${option}`);
  }
  return [];
};

/** The option of the watchdog throws (feature-options.ts). */
export function startWatchdog(): void {}
