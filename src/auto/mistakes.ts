import { LifesignError } from '../core/options/errors.js';
import { readOption } from '../core/options/read-option.js';
import { flag, type Rule } from '../core/options/rules.js';
import { printable } from '../core/scrub/printable.js';
import { clean, describe } from '../core/scrub/scrub.js';

const maxLength = 1000;
const told = new Set<string>();

/** Prints the problem, in one line and once. The service starts all the same, unless `HEALTH_AUTO_STRICT` is true. */
export function logMistake(thrown: unknown): void {
  const line = `lifesign/auto: ${printable(clean(textOf(thrown), maxLength))}\n`;
  if (told.has(line)) return;
  told.add(line);
  process.stderr.write(line);
  if (setting('autoStrict', flag, false)) process.exit(1);
}

export function textOf(thrown: unknown): string {
  return thrown instanceof LifesignError ? `${thrown.code}: ${thrown.message}` : describe(thrown);
}

/** The value of a variable of lifesign/auto; the fallback if it is not set, or wrong: `refused` is called then. */
export function setting<T>(
  name: string,
  rule: Rule<T>,
  fallback: T,
  refused: (thrown: unknown) => void = () => {},
): T {
  try {
    return readOption(undefined, name, rule, fallback);
  } catch (thrown) {
    refused(thrown);
    if (name !== 'autoStrict' || !told.has(name)) {
      told.add(name);
      logMistake(thrown);
    }
    return fallback;
  }
}
