import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of deploy/. */
export const read = (path: string): string =>
  readFileSync(join(import.meta.dirname, '../../deploy', path), 'utf8');

/** The commented lines that follow a sentence, without their marks. */
export function variantIn(file: string, sentence: string): string {
  const lines = read(file).split('\n');
  const first = lines.findIndex((line) => line.includes(sentence));
  if (first < 0) throw new Error(`${file} says nothing of ${sentence}`);
  // Comments of the same depth.
  const [depth = ''] = /^\s*/.exec(lines[first] ?? '') ?? [];
  const mark = new RegExp(`^${depth}# ?`);
  const length = lines.slice(first).findIndex((line) => !mark.test(line));
  const commented = lines.slice(first, first + length).map((line) => line.replace(mark, ''));
  // Sentences come first, then what is meant to be written.
  return commented.slice(commented.findIndex((line) => /^\w+(?::| \{)$/.test(line))).join('\n');
}
