import { optionInvalid } from '../core/options/errors.js';
import { type Duration, milliseconds as millisecondsOf, optional, type Rule } from '../core/options/rules.js';
import { optionReader, requireKnownOptions } from '../core/options/read-options.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../core/heartbeat/messages.js';

/** The values from which a check warns and fails; both are optional. */
export interface Thresholds {
  readonly warn?: number | undefined;
  readonly error?: number | undefined;
}

/** The same for times. */
export interface TimeThresholds {
  readonly warn?: Duration | undefined;
  readonly error?: Duration | undefined;
}

export const aboveZero: Rule<number> = {
  expects: 'milliseconds above 0, or a text such as "500ms"',
  accepts: (value): value is number => typeof value === 'number' && value > 0,
  fromCode: millisecondsOf,
};

const upTo = (upperBound: number): Rule<number> => ({
  expects: `a number above 0 and up to ${upperBound}`,
  accepts: (value): value is number => aboveZero.accepts(value) && value <= upperBound,
});

/** `warn` and `error` of the options of a check, of which each further one is named in `others`. */
export function thresholdsIn(
  check: string,
  given: TimeThresholds,
  others: readonly string[],
  upperBound = Infinity,
  usual: Thresholds = {},
): Thresholds {
  requireKnownOptions(given, [...others, 'warn', 'error'], `checks.${check}`);
  const { warn, error } = given;
  if (warn === undefined && error === undefined) return usual;
  return requireThresholds(check, { warn, error }, upperBound);
}

/** The thresholds, checked once at start: numbers up to `upperBound`, the warning below the error. Without `upperBound` they are times. */
export function requireThresholds(check: string, given: TimeThresholds, upperBound = Infinity): Thresholds {
  const option = optionReader(`checks.${check}`, given, ['warn', 'error']);
  const rule = optional(upperBound === Infinity ? aboveZero : upTo(upperBound));
  const [warn, error] = [option('warn', rule), option('error', rule)];
  if (warn !== undefined && error !== undefined && warn > error) {
    const fix = 'Swap the two values.';
    throw optionInvalid(`Option warn of checks.${check}`, given.warn, `at most error (${given.error})`, fix);
  }
  return { warn, error };
}

/** An Error or a Warning if the value is above its threshold; nothing below. */
export function judge(
  value: number,
  { warn, error }: Thresholds,
  id: string,
  text: (threshold: number) => string,
  hint?: string,
): readonly CheckMessage[] {
  if (error !== undefined && value >= error) return [new ErrorMessage(text(error), { id, hint })];
  if (warn !== undefined && value >= warn) return [new Warning(text(warn), { id, hint })];
  return [];
}

/** The same for the milliseconds that something took. */
export const judgeTime = (
  took: number,
  thresholds: Thresholds,
  id: string,
  start: string,
): readonly CheckMessage[] => {
  const text = (threshold: number) => `${start} ${milliseconds(took)}, above ${milliseconds(threshold)}`;
  return judge(took, thresholds, id, text);
};

export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
export const milliseconds = (ms: number): string => `${Math.round(ms)} ms`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
