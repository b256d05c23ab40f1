import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test.each(['docs/security.md', 'docs/draining.md', 'contributing/faults.md', 'contributing/threats.md'])(
  'each test that %s names exists',
  async (page) => {
    const text = await readFile(join(root, page), 'utf8');
    const named = [...text.matchAll(/`((?:cli\/)?test\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

test('each threat in contributing/threats.md names its test', async () => {
  const text = await readFile(join(root, 'contributing/threats.md'), 'utf8');
  const rows = text
    .split('\n| threat | answer | test |\n')
    .slice(1)
    .flatMap((table) => table.split('\n\n', 1));
  const threats = rows.flatMap((table) => table.split('\n').slice(1)).filter((row) => row.startsWith('| '));
  expect(threats.length).toBeGreaterThan(15);
  expect(threats.filter((row) => !/`(?:cli\/)?test\/[\w./-]+` \|$/.test(row))).toEqual([]);
});
