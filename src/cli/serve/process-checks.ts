import type { Check } from '../../core/registry.js';

/** What can be said of this process and its machine, where nothing else is configured. */
export function processChecks(_cwd: string): Readonly<Record<string, Check>> {
  return {};
}
