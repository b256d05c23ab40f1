import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);

test('the map in CONTRIBUTING names every file of the core and every room of src', async () => {
  const map = await readFile(at('CONTRIBUTING.md'), 'utf8');
  const core = (await readdir(at('src/core'))).filter((name) => name.endsWith('.ts'));
  const rooms = (await readdir(at('src'))).map((name) => (name.endsWith('.ts') ? name : `${name}/`));
  expect(core.length).toBeGreaterThan(20);
  expect([...core, ...rooms].filter((name) => !map.includes(name))).toEqual([]);
});
