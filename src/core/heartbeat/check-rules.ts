import { optionUnknown } from '../options/errors.js';
import { duration, interval, levelName, type Rule, timeout } from '../options/rules.js';
import { requireValue } from '../options/read-option.js';
import { runs, scope } from '../options/uncommon-rules.js';
import { isRecord } from '../objects.js';
import type { CheckOptions, CheckOptionsByName, ReadCheckOptions } from './check.js';

const rules = (): Readonly<Record<keyof ReadCheckOptions, Rule<unknown>>> => ({
  timeout,
  cacheFor: duration,
  every: interval,
  maxLevel: levelName,
  scope,
  failureThreshold: runs(),
  successThreshold: runs(),
  restartAfter: duration,
});

/** The options of one check that were given; throws if one is wrong or unknown. */
export function requireCheckOptions(check: string, given: CheckOptions): ReadCheckOptions {
  const read: Record<string, unknown> = {};
  const known: Readonly<Record<string, Rule<unknown>>> = rules();
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) throw optionUnknown(name, Object.keys(known), `of check ${check}`);
    if (value !== undefined) read[name] = requireValue(value, rule, `${name} of check ${check}`);
  }
  return read;
}

/** Whether a value is an object of such objects; throws if one of their options is wrong. */
export function areCheckOptions(value: unknown): value is CheckOptionsByName {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([check, options]) => {
    if (!isRecord(options)) return false;
    requireCheckOptions(check, options);
    return true;
  });
}
