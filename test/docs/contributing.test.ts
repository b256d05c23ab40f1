import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);

/** The part of the map that draws `src`. */
async function drawnMap(): Promise<string> {
  const [, map = ''] =
    /\nsrc\/[^\n]*\n([\s\S]*?)\ncli\/ /.exec(await readFile(at('CONTRIBUTING.md'), 'utf8')) ?? [];
  return map;
}

test('the map in CONTRIBUTING names every room of src', async () => {
  const map = await drawnMap();
  const found = await readdir(at('src'), { recursive: true, withFileTypes: true });
  // Frameworks have a folder each.
  const rooms = found.filter(
    (entry) => entry.isDirectory() && !/src[\\/]frameworks[\\/]?$/.test(entry.parentPath),
  );
  expect(rooms.length).toBeGreaterThan(30);
  const names = rooms.map(({ name }) => `${name}/`);
  expect(names.filter((name) => !map.includes(name))).toEqual([]);
});

test('every file and folder that the map names exists', async () => {
  const found = await readdir(at('src'), { recursive: true });
  const names = new Set(found.map((path) => path.replaceAll('\\', '/').split('/').at(-1)));
  const named = (await drawnMap()).matchAll(/(?<![\w-])([\w-]+(?:\.c?ts\b|(?=\/\s)))/g);
  const claimed = Array.from(named, ([, name = '']) => name);
  expect(claimed.length).toBeGreaterThan(30);
  expect(claimed.filter((name) => !names.has(name))).toEqual([]);
});
