import { optionInvalid } from './errors.js';
import { isEndpoint } from '../endpoints.js';
import { type LevelName, levels } from '../heartbeat/messages.js';

/** The values that an option accepts, and how to read one from text. */
export interface Rule<T> {
  /** Completes "it must be …". */
  readonly expects: string;
  readonly accepts: (value: unknown) => value is T;
  /** How an environment variable is read; absent if no variable can set the option. */
  readonly fromText?: (text: string) => unknown;
  /** How a text in code is read, for values such as `'30s'`; absent if it is taken as it is. */
  readonly fromCode?: (text: string) => unknown;
}

export function requireValue<T>(given: unknown, rule: Rule<T>, label: string, fix = 'Fix it or omit it.'): T {
  const value =
    typeof given === 'string' && rule.fromCode !== undefined ? rule.fromCode(given.trim()) : given;
  if (rule.accepts(value)) return value;
  throw optionInvalid(`Option ${label}`, given, rule.expects, fix);
}

export const integer = (low: number, high: number, unit = ''): Rule<number> => ({
  expects: `an integer from ${low} to ${high}${unit}`,
  accepts: (value): value is number =>
    Number.isInteger(value) && Number(value) >= low && Number(value) <= high,
  fromText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
});

export const flag: Rule<boolean> = {
  expects: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  fromText: (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()] ?? text,
};

export const text: Rule<string> = {
  expects: 'a non-empty string',
  accepts: (value): value is string => typeof value === 'string' && value !== '',
  fromText: (value) => value,
};

export const directory: Rule<string | URL> = {
  expects: 'a path or a file: URL',
  accepts: (value): value is string | URL =>
    value instanceof URL ? value.protocol === 'file:' : text.accepts(value),
  fromText: (value) => value,
};

export const levelName: Rule<LevelName> = {
  expects: `one of ${Object.keys(levels).join(', ')}`,
  accepts: (value): value is LevelName => typeof value === 'string' && Object.hasOwn(levels, value),
  fromText: (value) => value.toLowerCase(),
};

export const oneOf = <T extends string>(...words: readonly T[]): Rule<T> => ({
  expects: words
    .map((word) => `'${word}'`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or '),
  accepts: (value): value is T => words.some((word) => word === value),
  fromText: (value) => value.toLowerCase(),
});

export const headerName: Rule<string> = {
  ...text,
  expects: 'an HTTP header name',
  accepts: (value): value is string => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
};

/** A list of texts; a variable has commas between them. */
const list = (expects: string, accepts: (item: string) => boolean): Rule<readonly string[]> => ({
  expects,
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && accepts(item)),
  fromText: (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
});

/** A list, of which one may be given without brackets. */
export const listOf = (...rule: Parameters<typeof list>): Rule<readonly string[]> => ({
  ...list(...rule),
  fromCode: (value) => [value],
});

export const idList = list('a list of message ids', (id) => id !== '');

/** Paths, or beginnings of paths with a star at their end. */
export const pathList = list('a list of paths such as "/metrics" or "/static/*"', (path) =>
  /^\/[^*]*\*?$/.test(path),
);

/** A number of milliseconds, or a text with a unit: `HEALTH_TIMEOUT=3` could mean seconds. Timers of Node hold 31 bits. */
export function time(low: number, high = 2 ** 31 - 1): Rule<number> {
  const { accepts } = integer(low, high);
  return {
    expects: `a text such as "30s", or in code a number from ${low} to ${high} (milliseconds)`,
    accepts,
    fromText: milliseconds,
    fromCode: milliseconds,
  };
}

export const timeout = time(1);

/** A time that may be 0: none. */
export const duration = time(0);

/** A time between two runs. */
export const interval = time(100);

export const optional = <T>(rule: Rule<T>): Rule<T | undefined> => ({
  ...rule,
  accepts: (value): value is T | undefined => value === undefined || rule.accepts(value),
});

/** Segments that browsers and proxies send unchanged. */
const isPlainPath = (value: unknown): value is string =>
  typeof value === 'string' && /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)+$/.test(value);

/** The path that a proxy leaves before ours; empty for none. */
export const pathPrefix: Rule<string> = {
  ...text,
  expects: 'a path such as "/shop", without a slash at its end',
  accepts: (value): value is string => value === '' || isPlainPath(value),
};

/** Whether and how much: all, none, or a part. */
export const sampleRate: Rule<boolean | number> = {
  expects: 'true, false or a number from 0 to 1',
  accepts: (value): value is boolean | number =>
    typeof value === 'boolean' || (typeof value === 'number' && value >= 0 && value <= 1),
  fromText: (text) => (/^\d*\.\d+$/.test(text) ? Number(text) : flag.fromText?.(text)),
};

/** A function whose arguments and result only its type describes. */
export type AnyFunction = (...args: never) => unknown;

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

export const anyFunction: Rule<AnyFunction> = { expects: 'a function', accepts: isFunction };

export const functionOf = (argument: string): Rule<AnyFunction> => ({
  ...anyFunction,
  expects: `a function that takes ${argument}`,
});

const orFunction = <T>(rule: Rule<T>, others: string): Rule<T | AnyFunction> => ({
  ...rule,
  expects: `${others} or a function that takes the request`,
  accepts: (value): value is T | AnyFunction => rule.accepts(value) || isFunction(value),
});

export const flagOrFunction = orFunction(flag, 'true, false');
export const pathsOrFunction = orFunction(pathList, `${pathList.expects},`);

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time as text: `'500ms'`, `'30s'`, `'5m'`, `'1h'`, `'21d'`, `'3w'`. */
export type DurationText = `${number}${keyof typeof units}`;

/** Milliseconds, or a text such as `'30s'`. */
export type Duration = number | DurationText;

const isUnit = (unit: string): unit is keyof typeof units => Object.hasOwn(units, unit);

/** The milliseconds of a text with a unit, or of `0`; any other value as it is, so that its rule can refuse it. @internal */
export function milliseconds(given: unknown): unknown {
  if (given === '0') return 0;
  if (typeof given !== 'string') return given;
  const [, count, unit = ''] = /^(\d{1,15}(?:\.\d{1,15})?)(ms|[smhdw])$/.exec(given.trim()) ?? [];
  return isUnit(unit) ? Math.round(Number(count) * units[unit]) : given;
}

/** Options with every default filled in, and times as milliseconds. Those that are `Unset` have no default. */
export type Filled<Options, Unset extends keyof Options = never> = {
  readonly [Name in keyof Options]-?:
    | Exclude<Options[Name], undefined | DurationText>
    | (Name extends Unset ? undefined : never);
};

export const runs = integer(1, 1000);

/** A path that hides none of the three endpoints. */
export const pagePath: Rule<string> = {
  ...text,
  expects: 'a path such as "/__health__", other than the three endpoints',
  accepts: (value): value is string => isPlainPath(value) && !isEndpoint(value),
};
