import { isScalar, type YAMLMap } from 'yaml';
import type { Plan } from './changes.js';

/** A YAML file that gets further lines. */
export interface YamlFile {
  readonly path: string;
  /** As it is shown. */
  readonly name: string;
  readonly text: string;
}

/** Adds lines after the last key of a map; false if the map is in braces or takes keys from elsewhere. */
export function addKeys(
  plan: Plan,
  { path, text }: YamlFile,
  map: YAMLMap,
  lines: readonly string[],
  reason: string,
): boolean {
  const key = map.items[0]?.key;
  if (!isScalar(key) || !key.range || map.flow === true || map.has('<<')) return false;
  const indent = ' '.repeat(key.range[0] - (text.lastIndexOf('\n', key.range[0] - 1) + 1));
  const block = lines.map((line) => `${indent}${line}`).join('\n');
  // Without blank lines and comments below it; the last line of a file may have no end.
  const last = text.slice(0, map.range?.[1] ?? text.length).trimEnd().length;
  const end = text.indexOf('\n', last);
  if (end < 0) plan.of(path, text).insert(text.length, `\n${block}`, reason);
  else plan.of(path, text).insert(end + 1, `${block}\n`, reason);
  return true;
}

/** The text of a value of a map; undefined if there is none, or if it is a list or a map. */
export function textIn(map: YAMLMap, key: string): string | undefined {
  const value: unknown = map.get(key);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
