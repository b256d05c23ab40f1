export type Scalar = string | number | boolean | null | undefined;

/** A value of a configuration file that knows its line. */
export interface Tree {
  /** From 1 on. */
  readonly line: number;
  /** A text, number, boolean or null; undefined if it holds others. */
  readonly scalar: Scalar;
  /** Of a list; empty for anything else. */
  items(): readonly Tree[];
  /** Of a mapping; empty for anything else. */
  entries(): readonly (readonly [name: string, value: Tree])[];
}

/** The value at a path of names, if any. */
export function at(tree: Tree | undefined, ...path: readonly string[]): Tree | undefined {
  let current = tree;
  for (const name of path) current = current && named(current.entries(), name);
  return current;
}

type Entries = ReturnType<Tree['entries']>;
const indexes = new WeakMap<Entries, ReadonlyMap<string, Tree>>();
const fewEntries = 20;

/** The last entry of a name. A large mapping, which each container may read, gets an index. */
function named(entries: Entries, name: string): Tree | undefined {
  if (entries.length <= fewEntries) return entries.findLast(([key]) => key === name)?.[1];
  const index = indexes.get(entries) ?? new Map(entries);
  indexes.set(entries, index);
  return index.get(name);
}

/** The items of the list at a path; empty if there is none. */
export const itemsAt = (tree: Tree | undefined, ...path: readonly string[]): readonly Tree[] =>
  at(tree, ...path)?.items() ?? [];

/** The entries of the mapping at a path; empty if there is none. */
export const entriesAt = (
  tree: Tree | undefined,
  ...path: readonly string[]
): readonly (readonly [name: string, value: Tree])[] => at(tree, ...path)?.entries() ?? [];

/** A text or a number as text. */
export function textAt(tree: Tree | undefined, ...path: readonly string[]): string | undefined {
  const scalar = at(tree, ...path)?.scalar;
  return typeof scalar === 'string' || typeof scalar === 'number' ? String(scalar) : undefined;
}

/** A text or a number as text, with its line. */
export function placedAt(
  tree: Tree | undefined,
  ...path: readonly string[]
): { readonly text: string; readonly line: number } | undefined {
  const found = at(tree, ...path);
  const text = textAt(found);
  return found === undefined || text === undefined ? undefined : { text, line: found.line };
}

/** A number, also one in quotes. One that only a template or the environment knows is NaN: no comparison holds. */
export function numberAt(tree: Tree | undefined, ...path: readonly string[]): number | undefined {
  const text = textAt(tree, ...path);
  if (text?.includes('$') === true) return Number.NaN;
  return text !== undefined && /^\d{1,9}(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** The texts of a list. */
export function textsAt(tree: Tree | undefined, ...path: readonly string[]): readonly string[] | undefined {
  const items = itemsAt(tree, ...path);
  return items.length === 0 ? undefined : items.map((item) => String(item.scalar ?? ''));
}

/** A time such as `30s`, `1m30s` or `500ms`, in milliseconds. */
export function timeOf(text: string | undefined): number | undefined {
  // A variable that only the platform knows is longer and shorter than nothing.
  if (text?.includes('$') === true) return Number.NaN;
  const parts = [...(text ?? '').matchAll(/(\d{1,9}(?:\.\d+)?)(ms|us|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  const units: Readonly<Record<string, number>> = {
    us: 0.001,
    ms: 1,
    s: 1000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
  };
  return parts.reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (units[unit] ?? 0), 0);
}

/** Bytes of `512Mi`, `1.5G` or a number. For Docker, which counts in 1024, `512m` too. */
export function bytesOf(text: string | undefined, binary = false): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15}(?:\.\d+)?)\s?([kmgt]?i?b?)$/i.exec(text ?? '') ?? [];
  if (digits === undefined) return undefined;
  const power = 'kmgt'.indexOf(unit.charAt(0).toLowerCase()) + 1;
  return Number(digits) * (binary || /i/i.test(unit) ? 1024 : 1000) ** power;
}

/** The bytes of a text, with its line. */
export function sized(
  placed: ReturnType<typeof placedAt>,
  bytes: (text: string) => number | undefined,
): { readonly bytes: number; readonly line: number } | undefined {
  const size = placed && bytes(placed.text);
  return placed && size !== undefined ? { bytes: size, line: placed.line } : undefined;
}

/** Of a list of names and values; a value that comes from elsewhere is undefined. */
export function variablesAt(tree: Tree, list: string): Map<string, string | undefined> {
  return new Map(
    itemsAt(tree, list).flatMap((item): [string, string | undefined][] => {
      const name = textAt(item, 'name');
      return name === undefined ? [] : [[name, textAt(item, 'value')]];
    }),
  );
}
