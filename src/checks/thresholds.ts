import { optionInvalid } from '../core/options/errors.js';
import { type Duration, milliseconds as millisecondsOf } from '../core/options/rules.js';
import { requireKnownOptions } from '../core/options/read-options.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../core/heartbeat/messages.js';

/** The values from which a check warns and fails; both are optional. */
export interface Thresholds {
  readonly warn?: number;
  readonly error?: number;
}

/** The same for times. */
export interface TimeThresholds {
  readonly warn?: Duration;
  readonly error?: Duration;
}

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
  return requireThresholds(
    check,
    { ...(warn !== undefined && { warn }), ...(error !== undefined && { error }) },
    upperBound,
  );
}

/** The thresholds, checked once at start: numbers up to `most`, the warning below the error. Without `most` they are times. */
export function requireThresholds(check: string, given: TimeThresholds, upperBound = Infinity): Thresholds {
  requireKnownOptions(given, ['warn', 'error'], `checks.${check}`);
  const expects =
    upperBound === Infinity
      ? 'milliseconds above 0, or a text such as "500ms"'
      : `a number above 0 and up to ${upperBound}`;
  const read: { warn?: number; error?: number } = {};
  for (const name of ['warn', 'error'] as const) {
    const value = upperBound === Infinity ? millisecondsOf(given[name]) : given[name];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value > 0 && value <= upperBound))
      throw optionInvalid(`Option ${name} of checks.${check}`, given[name], expects, 'Fix it or omit it.');
    read[name] = value;
  }
  if (read.warn !== undefined && read.error !== undefined && read.warn > read.error) {
    const fix = 'Swap the two values.';
    throw optionInvalid(`Option warn of checks.${check}`, given.warn, `at most error (${given.error})`, fix);
  }
  return read;
}

/** An Error or a Warning if the value is above its threshold; nothing below. */
export function judge(
  value: number,
  { warn, error }: Thresholds,
  id: string,
  text: (threshold: number) => string,
  hint?: string,
): readonly CheckMessage[] {
  const options = { id, ...(hint !== undefined && { hint }) };
  if (error !== undefined && value >= error) return [new ErrorMessage(text(error), options)];
  if (warn !== undefined && value >= warn) return [new Warning(text(warn), options)];
  return [];
}

export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
export const milliseconds = (ms: number): string => `${Math.round(ms)} ms`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
