import { isObject, isRecord } from '../objects.js';
import { environment } from '../runtime.js';
import { optionInvalid, optionUnknown } from './errors.js';
import { type AnyFunction, type DurationText, flag, requireValue, type Rule } from './rules.js';

/** `failedStatusCode` is read from `HEALTH_FAILED_STATUS_CODE`, `healthPort` from `HEALTH_PORT`, `watchdog.port` from `HEALTH_WATCHDOG_PORT`. */
export function variableOf(option: string): string {
  const words = option.replace('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `HEALTH_${words.toUpperCase()}`.replace(/^HEALTH_HEALTH_/, 'HEALTH_');
}

/** One option: the given value, else its variable, else `fallback`. Throws if the rule refuses it. */
export function readOption<T>(given: unknown, name: string, rule: Rule<T>, fallback: T, label = name): T {
  if (given !== undefined) return requireValue(given, rule, label, fixFor(fallback));
  const variable = variableOf(name);
  const raw = environment()[variable];
  // An empty variable is how many platforms spell "unset".
  if (raw === undefined || raw === '' || rule.fromText === undefined) return fallback;
  const parsed = rule.fromText(raw);
  if (rule.accepts(parsed)) return parsed;
  throw optionInvalid(variable, raw, rule.expects, fixFor(fallback));
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

/** A reader of the options of `of`, one by one, for those that have no variables. Throws if one is unknown. */
export function optionReader(
  of: string,
  given: object,
  known: readonly string[],
  fix?: string,
): <T>(name: string, rule: Rule<T>) => T {
  requireKnownOptions(given, known, of);
  return (name, rule) => requireValue(Reflect.get(given, name), rule, `${name} of ${of}`, fix);
}

type Others = Readonly<Record<string, unknown>>;

/** One option: its rule, and its default, or a function that returns the default that the options before it lead to. */
type Declared<T> = readonly [rule: Rule<T>, usual: T | undefined | ((others: Others) => T | undefined)];

/** Every option of an interface, declared once: a table that leaves one out does not compile. */
export type Declares<Options> = {
  readonly [Name in keyof Options]-?: Declared<AsRead<Exclude<Options[Name], undefined>>>;
};

/** The part of a value's type that a rule can check: not the arguments and results of functions; a duration is read as milliseconds. */
type AsRead<T> = T extends AnyFunction ? AnyFunction : T extends DurationText ? never : T;

export type Declaration = Readonly<Record<string, Declared<unknown>>>;

/** The options of a table after reading: undefined only if that is the default. */
export type Values<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends readonly [Rule<infer T>, infer Usual]
    ? T | Extract<Usual extends (others: Others) => infer Result ? Result : Usual, undefined>
    : never;
};

const itself = (name: string) => name;

/** Reads every option of a table, in its order: the given value, else its variable, else its default. Errors have the label of an option. */
export function readDeclared<Table extends Declaration>(
  table: Table,
  given: object,
  optionOf = itself,
  labelOf = optionOf,
): Values<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, [rule, usual]] of Object.entries(table)) {
    const fallback = typeof usual === 'function' ? usual(values) : usual;
    const value: unknown = Reflect.get(given, name);
    values[name] = readOption(value, optionOf(name), rule, fallback, labelOf(name));
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- every name of the table was read by its own rule
  return values as Values<Table>;
}

/** The variables that the options of a table are read from; functions and objects have none. */
export function variablesOf(table: Declaration, optionOf = itself): readonly string[] {
  return Object.entries(table)
    .filter(([, [rule]]) => rule.fromText !== undefined)
    .map(([name]) => variableOf(optionOf(name)));
}

/** A feature whose options are one object, as its option is written. */
export interface FeatureOption<Table extends Declaration = Declaration> {
  readonly name: string;
  /** Its options. `port` of `watchdog` is read from `HEALTH_WATCHDOG_PORT`. */
  readonly parts: Table;
  /** The parts whose variables turn it on by themselves. */
  readonly askedBy?: readonly (keyof Table & string)[];
  /** Whether it is on unless it is turned off. */
  readonly isOn?: boolean;
  /** Such an object. */
  readonly example: string;
  /** Throws if two of the options do not go together. */
  require?(values: Values<Table>): void;
}

/** The options of a feature: `given` is true, false or an object; else the variables count. Undefined if it is off. */
export function readFeature<Table extends Declaration>(
  feature: FeatureOption<Table>,
  given: unknown,
): Values<Table> | undefined {
  const { name, parts, askedBy = [], isOn = false, example } = feature;
  const optionOf = (part: string) => `${name}.${part}`;
  if (!isRecord(given)) {
    const isAsked = askedBy.some((part) => (environment()[variableOf(optionOf(part))] ?? '') !== '');
    const rule = { ...flag, expects: `true, false or an object such as ${example}` };
    if (!readOption(given, name, rule, isAsked || isOn)) return undefined;
  }
  const own = isRecord(given) ? given : {};
  requireKnownOptions(own, Object.keys(parts), name);
  const values = readDeclared(parts, own, optionOf);
  feature.require?.(values);
  return values;
}
