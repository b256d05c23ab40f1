import { isRecord } from '../../core/objects.js';
import { optionInvalid } from '../../core/options/errors.js';
import { variableOf } from '../../core/options/read-option.js';

/** The two settings whose names do not begin with `HEALTH_`. */
const short: Readonly<Record<string, string>> = { baseDir: 'BASE_DIR', debug: 'DEBUG' };

/** Settings with every name in capitals: `failLevel` is `HEALTH_FAIL_LEVEL`. Throws if a setting has both of its names. */
export function inCapitals<Given>(given: Given): Given {
  if (!isRecord(given)) return given;
  const settings: Record<string, unknown> = { ...given };
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
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the same settings, by other names that the type has
  return settings as Given;
}
