import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moved, pages } from '../../site/.vitepress/pages.js';
import { redirect } from '../../site/.vitepress/texts.js';

const names = (await readdir(new URL('../../docs/', import.meta.url)))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace(/\.md$/, ''));

test('every page is in the list of the site, once, and the list has no other', () => {
  const listed = pages.flatMap((group) => Object.values(group.pages));
  const expected = names.filter((name) => name !== 'index');
  expect(listed.filter((name) => name !== 'api/').toSorted()).toEqual(expected.toSorted());
});

test('an address that has moved leads to a page that is there', () => {
  for (const [old, page] of Object.entries(moved)) {
    expect(names).toContain(page);
    expect(names).not.toContain(old);
  }
});

test('an old address leads on, under the path where the site is served', async () => {
  const out = await mkdtemp(join(tmpdir(), 'lifesign-site-'));
  await redirect(
    out,
    { 'message-ids': 'messages', 'guides/drain': 'reliability' },
    'https://docs.example/lifesign/',
  );
  const page = await readFile(join(out, 'message-ids.html'), 'utf8');
  expect(page).toContain('<meta http-equiv="refresh" content="0; url=/lifesign/messages.html">');
  expect(page).toContain('<a href="/lifesign/messages.html">');
  expect(await readFile(join(out, 'guides/drain.html'), 'utf8')).toContain('url=/lifesign/reliability.html');
  await rm(out, { recursive: true });
});
