import { isAlias, isMap, isNode, isScalar, isSeq, Lexer } from 'yaml';

/** Limits of a file: the parser takes about half a kilobyte and ten microseconds for each token of a document. */
const limits = { documents: 10_000, tokens: 2_000_000, tokensOfDocument: 300_000, levels: 100 };
export const tooDeep = 'it is nested too deeply';

/** Why a text is too much to parse; undefined if it is not. Looks at its tokens, which takes no memory. */
export function excessOf(text: string): string | undefined {
  let [tokens, ofDocument, documents, level] = [0, 0, 1, 0];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    ofDocument += 1;
    if (token === '---' || token === '...') {
      documents += 1;
      [ofDocument, level] = [0, 0];
    }
    if (token === '[' || token === '{') level += 1;
    if (token === ']' || token === '}') level = Math.max(0, level - 1);
    if (level > limits.levels) return tooDeep;
    if (documents > limits.documents) return `it has more than ${shown(limits.documents)} documents`;
    if (ofDocument > limits.tokensOfDocument)
      return `one of its documents has more than ${shown(limits.tokensOfDocument)} words and marks`;
    if (tokens > limits.tokens) return `it has more than ${shown(limits.tokens)} words and marks`;
  }
  return undefined;
}

const shown = (count: number) => count.toLocaleString('en');

/** The findings of one walk over a document, in order. */
export interface Walked {
  /** A key that a mapping has for the second time. The parser would compare each key with all the others. */
  readonly repeated: number | undefined;
  /** The node of each alias. The parser would search the document for each of them. */
  readonly aliases: ReadonlyMap<unknown, unknown>;
}

export function walk(contents: unknown): Walked {
  const [anchors, aliases] = [new Map<string, unknown>(), new Map<unknown, unknown>()];
  const left = [contents];
  while (left.length > 0) {
    const node = left.pop();
    if (isAlias(node)) aliases.set(node, anchors.get(node.source));
    else if (isNode(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isSeq(node)) for (const item of node.items.toReversed()) left.push(item);
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) return { repeated: key.range?.[0] ?? 0, aliases };
      seen.add(key.value);
    }
    for (const { key, value } of node.items.toReversed()) left.push(value, key);
  }
  return { repeated: undefined, aliases };
}
