import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Title of a test as it stands in the source: the first argument of `test` and `it`, of what `each` returns, or a case's name. */
const title =
  /(?:\b(?:test|it)(?:\.\w+(?:\([^)]*\))?)*\(\s*|\)\(\s*|\bname:\s*)(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

async function testTitles(): Promise<ReadonlySet<string>> {
  const names = await readdir(join(root, 'test'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.includes('node_modules'));
  const texts = await Promise.all(files.map((name) => readFile(join(root, 'test', name), 'utf8')));
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(title), ([, , found = '']) => found)));
}

async function namedInTable(): Promise<readonly { sentence: string; name: string }[]> {
  const page = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const [, table = ''] = page.split('## The specification, sentence by sentence');
  const rows = table.matchAll(/^\| *[\d.]+ *\| (.+?) *\| `(.+)` *\|$/gm);
  return Array.from(rows, ([, sentence = '', name = '']) => ({ sentence, name }));
}

test('docs/contract.md names for each sentence of the specification a test of exactly that title', async () => {
  const named = await namedInTable();
  const titles = await testTitles();
  expect(titles.size).toBeGreaterThan(1000);
  expect(named.filter(({ name }) => !titles.has(name))).toEqual([]);
});

test('no row of the table is left out by its form', async () => {
  const page = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const [, table = ''] = page.split('## The specification, sentence by sentence');
  const rows = table.split('\n').filter((line) => /^\| *\d/.test(line));
  expect(rows.length).toBeGreaterThan(50);
  expect(await namedInTable()).toHaveLength(rows.length);
});
