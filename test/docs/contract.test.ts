import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Title of a test in the source: the first argument of `test` and `it`, of what `each` returns, or a case's name. */
const title =
  /(?:\b(?:test|it)(?:\.\w+(?:\([^)]*\))?)*\(\s*|\)\(\s*|\bname:\s*)(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

async function testTitles(): Promise<ReadonlySet<string>> {
  const names = await readdir(join(root, 'test'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.includes('node_modules'));
  const texts = await Promise.all(files.map((name) => readFile(join(root, 'test', name), 'utf8')));
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(title), ([, , found = '']) => found)));
}

const page = await readFile(join(root, 'contributing/specification-tests.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| *\d/.test(line));
const named = Array.from(page.matchAll(/^\| ([\d.]+) \| .+? \| `(.+)` \|$/gm), ([, number, name = '']) => ({
  number,
  name,
}));

test('each row names a test of exactly that title', async () => {
  const titles = await testTitles();
  expect(titles.size).toBeGreaterThan(1000);
  expect(named.filter(({ name }) => !titles.has(name))).toEqual([]);
});

test('no row is left out by its form', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(named).toHaveLength(rows.length);
});

test('each requirement of the specification has a test, and no other is named', async () => {
  const specification = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const numbers = Array.from(specification.matchAll(/^- \*\*([\d.]+)\*\* /gm), ([, number]) => number);
  expect(numbers.length).toBeGreaterThan(40);
  expect([...new Set(named.map(({ number }) => number))]).toEqual(numbers);
});

test('docs/contract.md has every sentence of a version that cannot be served, and no other', async () => {
  const source = await readFile(join(root, 'src/core/version.ts'), 'utf8');
  const sentences = Array.from(source.matchAll(/\bbroken\(\s*'([^']+)'/g), ([, sentence]) => sentence);
  const decisions = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const [, table = ''] = decisions.split('| file | callback |');
  const listed = Array.from(
    table.split('\n\n', 1)[0]?.matchAll(/`([^`]+)`/g) ?? [],
    ([, sentence]) => sentence,
  );
  expect(sentences.length).toBeGreaterThan(8);
  expect(listed.toSorted()).toEqual(sentences.toSorted());
});
