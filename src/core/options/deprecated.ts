import { warnDeprecated } from './deprecation.js';
import { type Old, type Present, replaceNames } from './old-names.js';
import { type OldName, type Parts, renamed } from './renamed.js';

/** Options of the probes, and of a check, that have another name now. */
export interface OldThresholds {
  /** @deprecated LIFESIGN_DEP003: write `failureThreshold`. */
  readonly failAfter?: number | undefined;
  /** @deprecated LIFESIGN_DEP003: write `successThreshold`. */
  readonly passAfter?: number | undefined;
}

/**
 * The given options under their present names; those that belong to a feature now are added to its object. `scope` is the object that the options are of.
 * Throws if an option has both of its names. @internal
 */
export function presentNames(
  given: object,
  scope = '',
  labelOf = (name: string) => name,
  known: Parts = {},
): Present {
  const old = Object.keys(given).flatMap((name) => oldOf(scope, name));
  return old.length === 0
    ? { options: given, parts: known }
    : replaceNames(given, old, scope, labelOf, known);
}

/** An option by its old name, in a list; empty if the name is not an old one. */
function oldOf(scope: string, name: string): readonly Old[] {
  const path = `${scope && `${scope}.`}${name}`;
  if (name.includes('.') || !Object.hasOwn(renamed, path)) return [];
  // oxlint-disable-next-line typescript/consistent-type-assertions -- it is a name of the table
  const [code, now] = renamed[path as OldName];
  return [{ name, code, now }];
}

/** Lets resolved options be read by their old names too, with the same warning. Not enumerable: printed options have each value once. @internal */
export function addOldNames(options: object): void {
  for (const [old, [code, now]] of Object.entries(renamed)) {
    const scope = old.split('.');
    const name = scope.pop() ?? '';
    const get = () => {
      warnDeprecated(code, `Option ${old}`, `read ${now}`);
      return valueAt(options, now.split('.'));
    };
    // Nothing holds those of a feature that is off.
    Object.defineProperty(Object(valueAt(options, scope)), name, { get });
  }
}

const valueAt = (options: object, path: readonly string[]) =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- options are objects of objects, and only the last value may be undefined
  path.reduce((from: Nested | undefined, name) => from?.[name], options as Nested);

interface Nested {
  readonly [name: string]: Nested | undefined;
}

/** The old names of the options of a feature. @internal */
export const oldPartsOf = (feature: string): readonly string[] =>
  Object.keys(renamed).flatMap((old) =>
    old.startsWith(`${feature}.`) ? [old.slice(feature.length + 1)] : [],
  );
