import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { describe } from '../../../../src/tools.js';
import type { Scalar, Tree } from '../tree.js';

/** The results of `read` for each document of a YAML or JSON file, or a text that says why the file cannot be read. */
export function parseYaml<T>(text: string, read: (document: Tree) => T): readonly T[] | string {
  const lines = new LineCounter();
  const budget = { left: maxReads };
  const found: T[] = [];
  try {
    for (const document of parseAllDocuments(text, {
      merge: true,
      prettyErrors: false,
      lineCounter: lines,
    })) {
      const [error] = document.errors;
      if (error !== undefined && deepStack.test(error.message)) return tooDeep;
      if (error !== undefined) return `line ${lines.linePos(error.pos[0]).line}: ${error.message}`;
      const tree = treeOf(document.contents, { document, lines, budget });
      if (tree !== undefined) found.push(read(tree));
    }
    return found;
  } catch (thrown) {
    const message = thrown instanceof RangeError ? thrown.message : describe(thrown);
    return deepStack.test(message) ? tooDeep : message;
  }
}

const tooDeep = 'it is nested too deeply';
/** The error of a parser that recursed too deeply. */
const deepStack = /Maximum call stack/;
/** Values that are read of a file: aliases can multiply a small one without end. */
const maxReads = 1_000_000;

interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
  readonly budget: { left: number };
}

/** Read on first use: an alias of an alias of a list takes no memory. */
function treeOf(found: unknown, source: Source): Tree | undefined {
  const { document, lines, budget } = source;
  if ((budget.left -= 1) < 0) throw new RangeError('its aliases make it too large');
  const node = isAlias(found) ? found.resolve(document) : found;
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
  // Only a template knows the rest: it is as unknown as a variable.
  if (typeof value === 'string' && value.includes('{{'))
    return value.replaceAll(/\{\{.*?(?:\}\}|$)/gs, '${}');
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
