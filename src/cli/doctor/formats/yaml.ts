import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { describe } from '../../../core/scrub/scrub.js';
import type { Scalar, Tree } from '../tree.js';

/** The documents of a YAML or JSON file, or a text that says why it cannot be read. */
export function parseYaml(text: string): readonly Tree[] | string {
  const lineCounter = new LineCounter();
  try {
    const documents = parseAllDocuments(text, {
      lineCounter,
      merge: true,
      prettyErrors: false,
      logLevel: 'silent',
    });
    // A stream without a document is an object of its own kind.
    if (!Array.isArray(documents)) return [];
    const [error] = documents.flatMap(({ errors }) => errors);
    if (error !== undefined) return `line ${lineCounter.linePos(error.pos[0]).line}: ${error.message}`;
    return documents.flatMap((document) => {
      const tree = treeOf(document.contents, document, lineCounter);
      return tree === undefined ? [] : [tree];
    });
  } catch (thrown) {
    return describe(thrown);
  }
}

/** Read as it is asked for: an alias of an alias of a list takes no memory. */
function treeOf(found: unknown, document: Document, lines: LineCounter): Tree | undefined {
  const node = isAlias(found) ? found.resolve(document) : found;
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return undefined;
  const range = (isAlias(found) ? found : node).range;
  const below = (child: unknown) => treeOf(child, document, lines);
  return {
    line: lines.linePos(range?.[0] ?? 0).line,
    scalar: isScalar(node) ? scalarOf(node.value) : undefined,
    items: () => (isSeq(node) ? node.items.flatMap((item) => below(item) ?? []) : []),
    entries: () => (isMap(node) ? entriesOf(node.items, below) : []),
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

/** With what `<<` brings in before the node's own keys. */
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
