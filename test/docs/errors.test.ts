import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const src = new URL('../../src', import.meta.url);
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => `src/${path}`);
const codes = (text: string) => [...new Set(text.match(/LIFESIGN_[A-Z_]+[A-Z]/g))].toSorted();

test('docs/errors.md has a heading for every code that can be thrown, and no other', async () => {
  const source = (await Promise.all(files.map(read))).join('\n');
  // The first argument of an error.
  const first = Array.from(source.matchAll(/\w\(\s*'(LIFESIGN_[A-Z_]+)'/g), ([, code = '']) => code);
  const thrown = [...new Set(first)].toSorted();
  const documented = codes((await read('docs/errors.md')).match(/^## .*$/gm)?.join('\n') ?? '');
  expect(thrown.length).toBeGreaterThan(10);
  expect(documented).toEqual(thrown);
});
