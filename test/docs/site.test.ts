import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pages } from '../../site/.vitepress/pages.js';

const names = (await readdir(new URL('../../docs/', import.meta.url)))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace(/\.md$/, ''));

test('every page is in the list of the site, once, and the list has no other', () => {
  const listed = pages.flatMap((group) => Object.values(group.pages));
  const expected = names.filter((name) => name !== 'index');
  expect(listed.filter((name) => name !== 'api/').toSorted()).toEqual(expected.toSorted());
});
