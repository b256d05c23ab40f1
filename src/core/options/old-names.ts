// Loaded by applications that still use an old name.
import { warnDeprecated } from './deprecation.js';
import { optionInvalid } from './errors.js';
import type { Parts, Values } from './renamed.js';

/** An old name of an option that was given. */
export interface Old {
  readonly name: string;
  readonly code: number;
  readonly now: string;
}

export interface Present {
  readonly options: object;
  readonly parts: Parts;
}

/** The options with their old names replaced. Throws if an option has both of its names. */
export function replaceNames(
  given: object,
  old: readonly Old[],
  scope: string,
  labelOf: (name: string) => string,
  known: Parts,
): Present {
  const options: Record<string, unknown> = { ...given };
  const parts: Record<string, Values> = { ...known };
  for (const { name, code, now } of old) {
    const value = options[name];
    delete options[name];
    if (value === undefined) continue;
    const [feature = '', part = ''] = now.split('.');
    const whole = scope === '' ? { ...parts[feature], ...Object(options[feature]) } : options;
    if (Reflect.get(whole, part) !== undefined) {
      const other = `omitted when ${scope === '' ? now : part} is set`;
      throw optionInvalid(`Option ${labelOf(name)}`, value, other, 'They are two names for one option.');
    }
    if (scope === '') parts[feature] = { ...parts[feature], [part]: value };
    else options[part] = value;
    const instead = scope === '' ? `${feature}: { ${part} }` : part;
    warnDeprecated(code, `Option ${labelOf(name)}`, `write ${instead}`);
  }
  return { options, parts };
}
