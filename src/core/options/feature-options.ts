import { readOption, requireKnownOptions, variableOf } from './read-option.js';
import { flag, type Rule } from './rules.js';
import { environment } from '../runtime.js';

/** Reads one option of a feature, or its variable: `port` of `watchdog` is `HEALTH_WATCHDOG_PORT`. */
export type ReadPart = <T>(part: string, rule: Rule<T>, fallback: T) => T;

/** A feature whose options are one object, as its option is written. */
interface FeatureOption<T> {
  readonly name: string;
  readonly parts: readonly string[];
  /** The parts whose variables ask for it by themselves. */
  readonly askedBy: readonly string[];
  /** Such an object. */
  readonly example: string;
  /** Whether an error must not show what was given in its place. */
  readonly secret?: boolean;
  readonly resolve: (read: ReadPart, label: string) => T;
}

/** What was given under the name `label`: true, false or an object; else the variables. Undefined where nobody asks for it. */
export function readFeature<T>(
  feature: FeatureOption<T>,
  given: unknown,
  label: string,
  texts: boolean,
): T | undefined {
  if (isObject(given)) return resolveFeature(feature, given, label, texts);
  const expects = `true, false or an object such as ${feature.example}`;
  const rule = { ...flag, expects, secret: feature.secret === true };
  const asked = feature.askedBy.some(
    (part) => (environment()[variableOf(optionOf(feature.name, part))] ?? '') !== '',
  );
  const isOn = readOption(given, feature.name, rule, asked, label, texts);
  return isOn ? resolveFeature(feature, {}, label, texts) : undefined;
}

/** The options of a feature that is on. */
export function resolveFeature<T>(
  { name, parts, resolve }: FeatureOption<T>,
  given: object,
  label: string,
  texts = false,
): T {
  requireKnownOptions(given, parts, label);
  const read: ReadPart = (part, rule, fallback) => {
    const option = optionOf(name, part);
    return readOption(Reflect.get(given, part), option, rule, fallback, `${label}.${part}`, texts);
  };
  return resolve(read, label);
}

const optionOf = (name: string, part: string) => `${name}${part.charAt(0).toUpperCase()}${part.slice(1)}`;

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
