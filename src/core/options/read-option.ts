import { optionInvalid, optionUnknown } from './errors.js';
import type { Rule } from './rules.js';
import { environment } from '../runtime.js';
import { isObject } from '../objects.js';

/** Whether any variable that may be meant for lifesign is set. */
export const hasVariables = (): boolean =>
  Object.keys(environment()).some((name) => name.startsWith('HEALTH_'));

/** `failedStatusCode` is read from `HEALTH_FAILED_STATUS_CODE`, `healthPort` from `HEALTH_PORT`. */
export function variableOf(option: string): string {
  return `HEALTH_${option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`.replace(
    /^HEALTH_HEALTH_/,
    'HEALTH_',
  );
}

/** One option: the given value, else its variable, else `fallback`. Throws if the rule refuses it. */
export function readOption<T>(given: unknown, name: string, rule: Rule<T>, fallback: T, label = name): T {
  if (given !== undefined) {
    if (rule.accepts(given)) return given;
    return requireValue(given, rule, label, fixFor(fallback));
  }
  const variable = variableOf(name);
  const raw = environment()[variable];
  // An empty variable is how many platforms spell "unset".
  if (raw === undefined || raw === '' || rule.fromText === undefined) return fallback;
  const parsed = rule.fromText(raw);
  if (rule.accepts(parsed)) return parsed;
  throw optionInvalid(variable, raw, rule.expects, fixFor(fallback));
}

/** A value by its rule; throws if the rule refuses it. */
export function requireValue<T>(given: unknown, rule: Rule<T>, label: string, fix = 'Fix it or omit it.'): T {
  const value =
    typeof given === 'string' && rule.fromCode !== undefined ? rule.fromCode(given.trim()) : given;
  if (rule.accepts(value)) return value;
  throw optionInvalid(`Option ${label}`, given, rule.expects, fix);
}

function fixFor(fallback: unknown): string {
  return fallback === undefined || typeof fallback === 'object'
    ? 'Fix it or omit it.'
    : `Fix it, or omit it to use the default (${JSON.stringify(fallback)}).`;
}

/** Throws if the options are not an object, or have an unknown name. */
export function requireKnownOptions(given: unknown, known: readonly string[], of: string): void {
  if (!isObject(given)) {
    const write = `Write an object with any of: ${known.join(', ')}.`;
    throw optionInvalid(`The options argument of ${of}`, given, 'an object', write);
  }
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw optionUnknown(name, known, `of ${of}`);
  }
}
