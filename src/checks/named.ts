import type { Check } from '../core/heartbeat/check.js';

/** Gives what a factory made a name, so that it can be registered or listed as it is. */
export function named<C extends Check>(name: string, check: C): C {
  return Object.defineProperty(check, 'name', { value: name });
}
