import { isRecord } from '../../core/objects.js';
import { LifesignError, optionInvalid } from '../../core/options/errors.js';
import { variableOf } from '../../core/options/read-option.js';

/** The two settings whose names do not begin with `HEALTH_`. */
const short: Readonly<Record<string, string>> = { baseDir: 'BASE_DIR', debug: 'DEBUG' };

/** Under this key the settings carry the names that were written in camelCase, by their names in capitals; copies carry them too. */
const written: unique symbol = Symbol('written');

/** Settings with every name in capitals: `failLevel` is `HEALTH_FAIL_LEVEL`. Throws if a setting has both of its names. */
export function inCapitals<Given>(given: Given): Given {
  if (!isRecord(given)) return given;
  const settings: Record<string | symbol, unknown> = { ...given };
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (!/[a-z]/.test(name)) continue;
    delete settings[name];
    if (value === undefined) continue;
    const setting = short[name] ?? variableOf(name);
    if (settings[setting] !== undefined) {
      const fix = 'They are two names for one setting.';
      throw optionInvalid(`Option ${name}`, value, `omitted when ${setting} is set`, fix);
    }
    settings[setting] = value;
    names.set(setting, name);
  }
  if (names.size > 0) settings[written] = names;
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the same settings, by other names that the type has
  return settings as Given;
}

/** A text with the names of settings as they were written: `failLevel`, not `HEALTH_FAIL_LEVEL`. */
export function asWritten(settings: object, text: string): string {
  const names: unknown = Reflect.get(settings, written);
  if (!(names instanceof Map)) return text;
  return text.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (name) => String(names.get(name) ?? name));
}

/** The same for an error of lifesign; any other stays as it is. */
export function errorAsWritten(settings: object, error: unknown): unknown {
  if (!(error instanceof LifesignError)) return error;
  const message = asWritten(settings, error.message);
  if (message === error.message) return error;
  return new LifesignError(error.code, message, 'cause' in error ? { cause: error.cause } : undefined);
}
