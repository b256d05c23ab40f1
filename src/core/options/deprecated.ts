import { moreAbout } from '../help.js';
import { host } from '../runtime.js';
import { shared } from '../shared.js';
import { optionInvalid } from './errors.js';

/** Options of the probes, and of a check, that have another name now. */
export interface OldThresholds {
  /** @deprecated LIFESIGN_DEP003: write `failureThreshold`. */
  readonly failAfter?: number | undefined;
  /** @deprecated LIFESIGN_DEP003: write `successThreshold`. */
  readonly passAfter?: number | undefined;
}

/** Every old name of an option with the code of its warning and its present name. Variables, settings, docs and `lifesign-cli deprecations` follow from it. @internal */
export const renamed = {
  pagePath: [1, 'page.path'],
  pageConnections: [1, 'page.connections'],
  summaryHealthEndpoints: [2, 'summary.healthEndpoints'],
  summaryLogQuerystring: [2, 'summary.querystring'],
  summaryIgnore: [2, 'summary.ignore'],
  summaryFields: [2, 'summary.fields'],
  summaryTraceback: [2, 'summary.traceback'],
  'probes.failAfter': [3, 'probes.failureThreshold'],
  'probes.passAfter': [3, 'probes.successThreshold'],
  'check.failAfter': [3, 'check.failureThreshold'],
  'check.passAfter': [3, 'check.successThreshold'],
  'drainOnSignals.drainDelay': [5, 'drainOnSignals.delay'],
  'drainOnSignals.drainTimeout': [5, 'drainOnSignals.timeout'],
} as const satisfies Readonly<Record<string, readonly [code: number, now: string]>>;

/** An old name; those of options of a feature, a check or a function have its name before them. @internal */
export type OldName = keyof typeof renamed;

/** @internal */
export const codeOf = (code: number) => `LIFESIGN_DEP00${code}`;

const warned = /* @__PURE__ */ shared('deprecated', () => new Set<string>());

/** Prints a deprecation warning, once for each old name in a process. `node --no-deprecation` hides it. @internal */
export function warnDeprecated(code: number, old: string, now: string): void {
  if (warned.has(old)) return;
  warned.add(old);
  const id = codeOf(code);
  host.emitWarning?.(`${old} is deprecated: ${now}. ${moreAbout(id)}`, 'DeprecationWarning', id);
}

type Values = Readonly<Record<string, unknown>>;

/** Options of features, by the name of the feature. */
export type Parts = Readonly<Record<string, Values>>;

/**
 * The given options under their present names; those that belong to a feature now are added to its object. `scope` is the object that the options are of.
 * Throws if an option has both of its names. @internal
 */
export function presentNames(
  given: object,
  scope = '',
  labelOf = (name: string) => name,
  known: Parts = {},
): { readonly options: object; readonly parts: Parts } {
  const old = Object.entries(given).filter(([name]) => isOld(scope, name));
  if (old.length === 0) return { options: given, parts: known };
  const options: Record<string, unknown> = { ...given };
  const parts: Record<string, Values> = { ...known };
  for (const [name, value] of old) {
    delete options[name];
    if (value === undefined) continue;
    const [code, now] = renamed[pathOf(scope, name)];
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

// oxlint-disable-next-line typescript/consistent-type-assertions -- only for names that isOld has found
const pathOf = (scope: string, name: string) => `${scope && `${scope}.`}${name}` as OldName;

const isOld = (scope: string, name: string) =>
  !name.includes('.') && Object.hasOwn(renamed, pathOf(scope, name));

/** The option that a path would be by itself: `probes.failAfter` is read from the variable of `probesFailAfter`. */
const flat = (path: string) => path.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Options by the name under which a variable may still set them, each with its present name; options of a check or a function have no variables of their own. @internal */
export const flatNames: readonly (readonly [old: string, now: string, code: number])[] = Object.entries(
  renamed,
)
  .filter(([old]) => !/^(?:check|drainOnSignals)\./.test(old))
  .map(([old, [code, now]]) => [flat(old), flat(now), code]);

/** The old names of the options of a feature. @internal */
export const oldPartsOf = (feature: string): readonly string[] =>
  Object.keys(renamed).flatMap((old) =>
    old.startsWith(`${feature}.`) ? [old.slice(feature.length + 1)] : [],
  );
