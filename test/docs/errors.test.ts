import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const src = new URL('../../src', import.meta.url);
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^errors\.ts$/.test(basename(path)))
  .map((path) => `src/${path}`);
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
