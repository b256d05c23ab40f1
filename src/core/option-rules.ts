import type { Logger } from './log.js';
import { levels, type LevelName } from './messages.js';

/** What an option accepts, and how it is read from text. */
export interface Rule<T> {
  /** Completes "it must be …". */
  readonly expects: string;
  readonly accepts: (value: unknown) => value is T;
  /** How an environment variable is read; absent where none can carry the option. */
  readonly fromText?: (text: string) => unknown;
}

export const integer = (low: number, high: number, unit = ''): Rule<number> => ({
  expects: `an integer${unit} from ${low} to ${high}`,
  accepts: (value): value is number =>
    Number.isInteger(value) && Number(value) >= low && Number(value) <= high,
  fromText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
});

export const truth: Rule<boolean> = {
  expects: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  fromText: (text) => ({ true: true, '1': true, false: false, '0': false })[text] ?? text,
};

export const text: Rule<string> = {
  expects: 'a non-empty string',
  accepts: (value): value is string => typeof value === 'string' && value !== '',
  fromText: (value) => value,
};

export const levelName: Rule<LevelName> = {
  expects: `one of ${Object.keys(levels).join(', ')}`,
  accepts: (value): value is LevelName => typeof value === 'string' && Object.hasOwn(levels, value),
  fromText: (value) => value,
};

export const headerName: Rule<string> = {
  expects: 'the name of an HTTP header',
  accepts: (value): value is string => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
  fromText: (value) => value,
};

export const idList: Rule<readonly string[]> = {
  expects: 'a list of message ids',
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((id) => typeof id === 'string' && id !== ''),
  fromText: (value) =>
    value
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
};

/** Timers of Node hold 31 bits. */
export const timeout = integer(1, 2 ** 31 - 1, ' of milliseconds');

export const loggerRule: Rule<Logger | undefined> = {
  expects: 'an object with a method log(record)',
  accepts: (value): value is Logger =>
    typeof value === 'object' && value !== null && 'log' in value && typeof value.log === 'function',
};
