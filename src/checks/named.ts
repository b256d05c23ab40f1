import type { Check } from '../core/heartbeat/check.js';

/** Names the check of a factory, so that it can be registered or listed as it is. */
export function named<C extends Check>(name: string, check: C): C {
  return Object.defineProperty(check, 'name', { value: name });
}
