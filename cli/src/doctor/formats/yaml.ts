import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser } from 'yaml';
import { describe } from '../../../../src/core/scrub/scrub.js';
import type { Scalar, Tree } from '../tree.js';
import { excessOf, tooDeep, walk } from './yaml-limits.js';

/**
 * The results of `read` for each document of a YAML or JSON file, or a text that says why the file cannot be read. One document
 * is in memory at a time.
 */
export function parseYaml<T>(text: string, read: (document: Tree) => T): readonly T[] | string {
  const excess = excessOf(text);
  if (excess !== undefined) return excess;
  const lines = new LineCounter();
  const wrong = (at: number, message: string) => `line ${lines.linePos(at).line}: ${message}`;
  const composer = new Composer({ merge: true, prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
  let left = maxReads;
  const found: T[] = [];
  try {
    for (const document of composer.compose(new Parser(lines.addNewLine).parse(text))) {
      const [error] = document.errors;
      if (error !== undefined)
        return deepStack.test(error.message) ? tooDeep : wrong(error.pos[0], error.message);
      const { repeated, aliases } = walk(document.contents);
      if (repeated !== undefined) return wrong(repeated, 'Map keys must be unique');
      const budget = { left: Math.min(left, maxReadsOfDocument) };
      const before = budget.left;
      const tree = treeOf(document.contents, { aliases, lines, budget });
      if (tree !== undefined) found.push(read(tree));
      left -= before - budget.left;
    }
    return found;
  } catch (thrown) {
    const message = thrown instanceof RangeError ? thrown.message : describe(thrown);
    return deepStack.test(message) ? tooDeep : message;
  }
}

/** The error of a parser that recursed too deeply. */
const deepStack = /Maximum call stack/;
/** Values that are read of a file: aliases can multiply a small one without end. */
const maxReads = 1_000_000;
const maxReadsOfDocument = 300_000;

interface Source {
  readonly aliases: ReadonlyMap<unknown, unknown>;
  readonly lines: LineCounter;
  readonly budget: { left: number };
}

/** Read as it is asked for: an alias of an alias of a list takes no memory. */
function treeOf(found: unknown, source: Source): Tree | undefined {
  const { aliases, lines, budget } = source;
  if ((budget.left -= 1) < 0) throw new RangeError('its aliases make it too large');
  const node = isAlias(found) ? aliases.get(found) : found;
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return undefined;
  const range = (isAlias(found) ? found : node).range;
  const below = (child: unknown) => treeOf(child, source);
  let [items, entries]: [ReturnType<Tree['items']>?, ReturnType<Tree['entries']>?] = [];
  return {
    line: lines.linePos(range?.[0] ?? 0).line,
    scalar: isScalar(node) ? scalarOf(node.value) : undefined,
    items: () => (items ??= isSeq(node) ? node.items.flatMap((item) => below(item) ?? []) : []),
    entries: () => (entries ??= isMap(node) ? entriesOf(node.items, below) : []),
  };
}

function scalarOf(value: unknown): Scalar {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  return typeof value === 'string' ? value : undefined;
}

interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

/** The parser has a symbol for `<<`. */
function nameOf(key: unknown): string {
  return typeof key === 'symbol' ? (key.description ?? '') : String(key);
}

/** With the keys of `<<` before the node's own keys. */
function entriesOf(
  pairs: readonly Pair[],
  below: (child: unknown) => Tree | undefined,
): readonly (readonly [string, Tree])[] {
  const own: [string, Tree][] = [];
  const merged: (readonly [string, Tree])[] = [];
  for (const { key, value } of pairs) {
    const tree = below(value);
    const name = isScalar(key) ? nameOf(key.value) : undefined;
    if (tree === undefined || name === undefined) continue;
    if (name !== '<<') own.push([name, tree]);
    // Of several, the first that has a name counts.
    else for (const source of [tree, ...tree.items().toReversed()]) merged.push(...source.entries());
  }
  return [...merged, ...own];
}
