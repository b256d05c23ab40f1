import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pages } from '../../site/.vitepress/pages.js';

const docs = new URL('../../docs/', import.meta.url);
const files = (await readdir(docs)).filter((name) => name.endsWith('.md'));

test('every page is in the list of the site, once, and the list has no other', () => {
  const listed = pages.flatMap((group) => Object.values(group.pages));
  const expected = files.map((name) => name.replace(/\.md$/, '')).filter((name) => name !== 'index');
  expect(listed.filter((name) => name !== 'api/').toSorted()).toEqual(expected.toSorted());
});

test('the site writes each folder that a page links to', async () => {
  const writer = await readFile(new URL('../../site/files.mjs', import.meta.url), 'utf8');
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, docs), 'utf8')));
  const linked = texts.flatMap((text) =>
    Array.from(text.matchAll(/\]\(\.\.\/([a-z]+)/g), ([, name]) => name),
  );
  // Of contributing/ the site has some pages.
  expect([...new Set(linked)].filter((name) => !writer.includes(`'${name}'`)).toSorted()).toEqual([
    'contributing',
  ]);
});
