import { isMap, isScalar, type YAMLMap } from 'yaml';

/** A place in the text of a YAML file for further keys of a map, with their indentation. */
export interface Place {
  readonly at: number;
  readonly indent: string;
}

/** After the last key of a map; undefined if the map is in braces or takes keys from elsewhere. */
export function behindKeys(text: string, map: YAMLMap): Place | undefined {
  const key = map.items[0]?.key;
  if (!isScalar(key) || !key.range || map.flow === true) return undefined;
  const start = text.lastIndexOf('\n', key.range[0] - 1) + 1;
  return { at: endOfLine(text, map.range?.[1] ?? text.length), indent: ' '.repeat(key.range[0] - start) };
}

/** Lines at such a place, whether or not the line before them is ended. */
export function linesAt(text: string, { at, indent }: Place, lines: readonly string[]): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const block = lines.map((line) => `${indent}${line}${newline}`).join('');
  return at === 0 || text[at - 1] === '\n' ? block : newline + block.slice(0, -newline.length);
}

/** The offset after the line end at or after the last character of a node, without blank lines and comments below it. */
function endOfLine(text: string, end: number): number {
  let at = end;
  while (at > 0 && /\s/.test(text[at - 1] ?? '')) at -= 1;
  const line = text.indexOf('\n', at);
  return line < 0 ? text.length : line + 1;
}

/** The entries of a map whose values are maps. */
export function mapsIn(node: unknown): [name: string, map: YAMLMap][] {
  if (!isMap(node)) return [];
  return node.items.flatMap(({ key, value }): [string, YAMLMap][] =>
    isScalar(key) && isMap(value) ? [[String(key.value), value]] : [],
  );
}

/** The text of a value of a map; undefined if there is none, or if it is a list or a map. */
export function textIn(map: YAMLMap, key: string): string | undefined {
  const value: unknown = map.get(key);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
