import { warnDeprecated } from './deprecation.js';
import { optionInvalid, optionUnknown } from './errors.js';
import { renamed } from './renamed.js';
import { type Rule, valueOf } from './rules.js';
import { environment } from '../runtime.js';
import { isObject } from '../objects.js';

/** Names beside the one that follows from the option's, of variables and of settings alike. */
export const variableAliases: Readonly<Record<string, string>> = {
  silencedChecks: 'SILENCED_SYSTEM_CHECKS',
  failedStatusCode: 'HEALTH_HEARTBEAT_FAILED_STATUS_CODE',
  healthPort: 'HEALTH_PORT',
  healthPortOnly: 'HEALTH_PORT_ONLY',
  drainShutdownTimeout: 'HEALTH_SHUTDOWN_TIMEOUT',
};

/** Whether any variable that may be meant for lifesign is set. */
export const hasVariables = (): boolean =>
  Object.keys(environment()).some((name) => name.startsWith('HEALTH_'));

/** `failedStatusCode` is read from `HEALTH_FAILED_STATUS_CODE`. */
export function variableOf(option: string): string {
  return `HEALTH_${option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The option that a path would be by itself: `probes.failAfter` is read from the variable of `probesFailAfter`. */
const flat = (path: string) => path.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Variables by their old names, each with the option that it sets and the code of its warning; options of a check or a function have none. */
export const oldVariables: ReadonlyMap<string, readonly [option: string, code: number]> = new Map(
  Object.entries(renamed).flatMap(([old, [code, now]]) => {
    const variable = variableOf(flat(old));
    const option = flat(now);
    return /^(?:check|drainOnSignals)\./.test(old) || variable === variableOf(option)
      ? []
      : [[variable, [option, code]] as const];
  }),
);

/** The variable that an option is read from: if only the old one is set, that. */
function setVariableOf(name: string): string {
  const variable = variableOf(name);
  const alias = variableAliases[name];
  if (alias !== undefined && environment()[alias]) return alias;
  if (environment()[variable]) return variable;
  for (const [old, [option, code]] of oldVariables) {
    if (option !== name || !environment()[old]) continue;
    warnDeprecated(code, old, `set ${variable}`);
    return old;
  }
  return variable;
}

/**
 * One option: the given value, else its variable, else `fallback`. Throws if the rule refuses it. With `texts` a
 * text is also read as its variable would be, for those whose source is an environment.
 */
export function readOption<T>(
  given: unknown,
  name: string,
  rule: Rule<T>,
  fallback: T,
  label = name,
  texts = false,
): T {
  if (given !== undefined && !(texts && given === '')) {
    if (rule.accepts(given)) return given;
    return requireValue(given, rule, label, fixFor(fallback), texts);
  }
  const variable = setVariableOf(name);
  const raw = environment()[variable];
  // An empty variable is how many platforms spell "unset".
  if (raw === undefined || raw === '' || rule.fromText === undefined) return fallback;
  const parsed = rule.fromText(raw);
  if (rule.accepts(parsed)) return parsed;
  throw optionInvalid(variable, raw, rule.expects, fixFor(fallback));
}

/** A value by its rule; throws if the rule refuses it. */
export function requireValue<T>(
  given: unknown,
  rule: Rule<T>,
  label: string,
  fix = 'Fix it or omit it.',
  texts = false,
): T {
  const value = valueOf(rule, given, texts);
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
