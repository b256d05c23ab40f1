import { readOption, variableOf } from './read-option.js';
import type { DurationText } from './duration.js';
import type { AnyFunction, Rule } from './rules.js';

/** The options of a table that were read already. */
type Others = Readonly<Record<string, unknown>>;

/** One option: its rule, and its default, or a function that returns the default that the other options lead to. */
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

/** How the options of a table are called. */
interface Names {
  /** The option whose variable is read. */
  readonly optionOf?: (name: string) => string;
  /** Its name in errors. */
  readonly labelOf?: (name: string) => string;
}

const itself = (name: string) => name;

const isDerived = (usual: unknown) => typeof usual === 'function';

/** Reads every option of a table: the given value, else its variable, else its default. */
export function readDeclared<Table extends Declaration>(
  table: Table,
  given: object,
  { optionOf = itself, labelOf = itself }: Names = {},
): Values<Table> {
  const values: Record<string, unknown> = {};
  // Defaults that follow from other options come last.
  const entries = Object.entries(table).toSorted(
    ([, [, one]], [, [, other]]) => Number(isDerived(one)) - Number(isDerived(other)),
  );
  for (const [name, [rule, usual]] of entries) {
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
