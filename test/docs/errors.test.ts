import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const src = new URL('../../src', import.meta.url);
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => `src/${path}`);
/** The code of each error that is made: its first argument. */
const made = async () => {
  const source = (await Promise.all(files.map(read))).join('\n');
  return Array.from(source.matchAll(/\w\(\s*'(LIFESIGN_[A-Z_]+)'/g), ([, code = '']) => code);
};
const codes = (text: string) => [...new Set(text.match(/LIFESIGN_[A-Z_]+[A-Z]/g))].toSorted();

test('docs/errors.md has a heading for every code that can be thrown, and no other', async () => {
  const thrown = [...new Set(await made())].toSorted();
  const documented = codes((await read('docs/errors.md')).match(/^## .*$/gm)?.join('\n') ?? '');
  expect(thrown.length).toBeGreaterThan(10);
  expect(documented).toEqual(thrown);
});

test('each code is thrown from one factory', async () => {
  const used = await made();
  expect(used.length).toBe(new Set(used).size);
});
