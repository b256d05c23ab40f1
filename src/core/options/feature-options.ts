import { type Declaration, readDeclared, type Values } from './declaration.js';
import { readOption, requireKnownOptions, variableOf } from './read-option.js';
import { flag } from './rules.js';
import { environment } from '../runtime.js';
import { isRecord } from '../objects.js';

/** A feature whose options are one object, as its option is written. */
export interface FeatureOption<Table extends Declaration = Declaration> {
  readonly name: string;
  /** Its options. `port` of `watchdog` is read from `HEALTH_WATCHDOG_PORT`. */
  readonly parts: Table;
  /** The parts whose variables turn it on by themselves. */
  readonly askedBy: readonly (keyof Table & string)[];
  /** Whether it is on unless it is turned off. */
  readonly isOn?: boolean;
  /** Such an object. */
  readonly example: string;
}

/** The same with its resolved options. */
export interface ResolvedBy<Table extends Declaration, Resolved> extends FeatureOption<Table> {
  readonly resolve: (values: Values<Table>, label: string) => Resolved;
}

/**
 * The option `label` as given: true, false or an object; else the variables. Undefined if the feature is off.
 */
export function readFeature<Table extends Declaration, Resolved>(
  feature: ResolvedBy<Table, Resolved>,
  given: unknown,
  label = feature.name,
): Resolved | undefined {
  if (isRecord(given)) return resolveFeature(feature, given, label);
  const rule = {
    ...flag,
    // Read in an error only.
    get expects() {
      return `true, false or an object such as ${feature.example}`;
    },
  };
  const asked = feature.askedBy.some(
    (part) => (environment()[variableOf(partOption(feature, part))] ?? '') !== '',
  );
  const isOn = readOption(given, feature.name, rule, asked || feature.isOn === true, label);
  return isOn ? resolveFeature(feature, {}, label) : undefined;
}

/** The options of a feature that is on. */
export function resolveFeature<Table extends Declaration, Resolved>(
  feature: ResolvedBy<Table, Resolved>,
  given: object,
  label = feature.name,
): Resolved {
  requireKnownOptions(given, Object.keys(feature.parts), label);
  const optionOf = (part: string) => partOption(feature, part);
  const labelOf = (part: string) => `${label}.${part}`;
  return feature.resolve(readDeclared(feature.parts, given, { optionOf, labelOf }), label);
}

/** The option that a part would be by itself: `watchdogPort`, after which its variable is named. */
export const partOption = ({ name }: { readonly name: string }, part: string) =>
  `${name}${part.charAt(0).toUpperCase()}${part.slice(1)}`;
