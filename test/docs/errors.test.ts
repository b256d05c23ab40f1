import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const files = [
  'src/core/options/errors.ts',
  'src/config/errors.ts',
  'src/worker/errors.ts',
  'src/edge/errors.ts',
  'src/command/errors.ts',
];
const sources = async () => (await Promise.all(files.map(read))).join('\n');
const codes = (text: string) => [...new Set(text.match(/LIFESIGN_[A-Z_]+[A-Z]/g))].toSorted();

test('docs/errors.md has a heading for every code that can be thrown, and no other', async () => {
  const thrown = codes((await sources()).replaceAll(/`LIFESIGN_\$\{string\}`/g, ''));
  const documented = codes((await read('docs/errors.md')).match(/^## .*$/gm)?.join('\n') ?? '');
  expect(thrown.length).toBeGreaterThan(10);
  expect(documented).toEqual(thrown);
});

test('each code is thrown from one factory', async () => {
  const source = await sources();
  const used = [...source.matchAll(/'(LIFESIGN_[A-Z_]+)'/g)].map(([, code]) => code);
  expect(used.length).toBe(new Set(used).size);
});
