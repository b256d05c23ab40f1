import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { moved, pages } from '../../site/.vitepress/pages.js';

const names = (await readdir(new URL('../../docs/', import.meta.url)))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace(/\.md$/, ''));

test('every page is in the list of the site, once, and the list has no other', () => {
  const listed = pages.flatMap((group) => Object.values(group.pages));
  // The first page is in no list; the others are for contributors, who read them in the repository.
  const unlisted = new Set(['index', 'releasing', 'specification-tests']);
  const expected = names.filter((name) => !unlisted.has(name));
  expect(listed.filter((name) => name !== 'api/').toSorted()).toEqual(expected.toSorted());
});

test('an address that has moved leads to a page that is there', () => {
  for (const [old, page] of Object.entries(moved)) {
    expect(names).toContain(page);
    expect(names).not.toContain(old);
  }
});
