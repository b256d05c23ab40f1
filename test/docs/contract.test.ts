import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

async function testSources(): Promise<string> {
  const names = await readdir(join(root, 'test'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.includes('node_modules'));
  const texts = await Promise.all(files.map((name) => readFile(join(root, 'test', name), 'utf8')));
  return texts.join('\n');
}

test('docs/contract.md names for each sentence of the specification a test that exists', async () => {
  const page = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const [, table = ''] = page.split('## The specification, sentence by sentence');
  const named = [...table.matchAll(/^\|.*\| `(.+)` +\|$/gm)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(30);
  const sources = await testSources();
  expect(named.filter((name) => !sources.includes(name))).toEqual([]);
});
