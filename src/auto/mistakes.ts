import { LifesignError } from '../core/options/errors.js';
import { readOption } from '../core/options/read-option.js';
import { flag, type Rule } from '../core/options/rules.js';
import { printable } from '../core/scrub/printable.js';
import { clean, describe } from '../core/scrub/scrub.js';

const longest = 1000;
const told = new Set<string>();

/** Says what is wrong, in one line and once. The service starts all the same, unless `HEALTH_AUTO_STRICT` is true. */
export function tell(thrown: unknown): void {
  const text = thrown instanceof LifesignError ? `${thrown.code}: ${thrown.message}` : describe(thrown);
  const line = `lifesign/auto: ${printable(clean(text, longest))}\n`;
  if (told.has(line)) return;
  told.add(line);
  process.stderr.write(line);
  if (setting('autoStrict', flag, false)) process.exit(1);
}

/** What a variable of lifesign/auto says; the fallback where it is not set, or wrong. */
export function setting<T>(name: string, rule: Rule<T>, fallback: T): T {
  try {
    return readOption(undefined, name, rule, fallback);
  } catch (thrown) {
    if (name !== 'autoStrict' || !told.has(name)) {
      told.add(name);
      tell(thrown);
    }
    return fallback;
  }
}
