// The build for edge workers has this in place of platform.ts: such an instance lives for a few requests, without sockets, files and threads.
import { clientOptions } from '../checks/clients.js';
import { notOnEdge, ownCheck, watchdogUnsupported } from '../core/options/errors.js';
import type * as platform from './platform.js';

const absent = ['page', 'probes', 'metrics', 'otel', 'keepAlive', 'every', 'drain'] as const;

export const openFeatures: typeof platform.openFeatures = ({ options }) => {
  for (const option of absent) if (options[option]) throw notOnEdge(`Option ${option}`);
  if (options.watchdog !== undefined) throw watchdogUnsupported();
  return [];
};

export const registerBuiltIns: typeof platform.registerBuiltIns = (_health, given) => {
  for (const option of clientOptions) {
    if (given[option] !== undefined) throw notOnEdge(`Option ${option}`, ownCheck);
  }
};

export function startWatchdog(): void {}
export function drainServers(): void {}
