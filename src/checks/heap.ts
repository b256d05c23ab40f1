import { type Check, withScope } from '../core/heartbeat/check.js';
import type { Duration } from '../core/options/duration.js';
import { optionInvalid } from '../core/options/errors.js';
import { requireKnownOptions, requireValue } from '../core/options/read-option.js';
import { timeout } from '../core/options/rules.js';
import { HeapWatch } from './heap-watch.js';
import { named } from './client.js';
import { measuring } from './listening.js';

/** Options of `checks.heap`. */
export interface HeapOptions {
  /** Share of the heap that is still in use after garbage collection. Default 0.9. */
  readonly used?: number | undefined;
  /** Share of the time that garbage collection takes. Default 0.3. */
  readonly gc?: number | undefined;
  /** How long both must last. Default 10000. */
  readonly after?: Duration | undefined;
}

/**
 * A check that the heap is not full: Error `health.E043` if garbage collection takes much of the time and frees almost nothing. It is
 * a failure of this instance, which a restart fixes.
 *
 * @example health.check(checks.heap());
 */
export function heap(options: HeapOptions = {}): Check {
  requireKnownOptions(options, ['used', 'gc', 'after'], 'checks.heap');
  // V8 ends a process soon after its collections take most of the time: what lasts 30 s at 0.95 and 0.5 is never seen.
  const { used = 0.9, gc = 0.3 } = options;
  requireShare('used', used);
  requireShare('gc', gc);
  const after = requireValue(options.after ?? 10_000, timeout, 'after of checks.heap');
  const watch = new HeapWatch({ used, gc, after });
  watch.begin();
  const check = named('heap', () => watch.messages());
  measuring(
    check,
    () => watch.begin(),
    () => watch.end(),
  );
  return withScope(check, 'auto', { dependency: check, proves: true, ask: () => Promise.resolve(own) });
}

const own = { scope: 'instance', evidence: 'the heap is of this process only' } as const;

function requireShare(name: string, value: unknown): void {
  if (typeof value !== 'number' || !(value > 0 && value <= 1)) {
    throw invalid(name, value, 'a number above 0 and up to 1');
  }
}

function invalid(name: string, value: unknown, expects: string): Error {
  return optionInvalid(`Option ${name} of checks.heap`, value, expects, 'Fix it or omit it.');
}
