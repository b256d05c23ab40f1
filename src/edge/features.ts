// profiles/features.ts, profiles/draining.ts and watchdog/feature.ts on edge workers: an instance that lives for a few requests has nothing to remember, and no thread.
import type * as features from '../profiles/features.js';
import { notOnEdge } from './errors.js';

export const openFeatures: typeof features.openFeatures = ({ options }) => {
  for (const option of ['otel', 'keepAlive', 'every', 'drain'] as const) {
    if (options[option]) throw notOnEdge(`Option ${option}`);
  }
  return [];
};

/** Their options throw (feature-options.ts). */
export function startWatchdog(): void {}
export function drainServers(): void {}
