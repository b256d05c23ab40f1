import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as messageIds from '../../src/core/heartbeat/message-ids.js';

const root = new URL('../../', import.meta.url);
const home = 'core/heartbeat/message-ids.ts';

const ids = Object.values(messageIds)
  .flatMap((entry): readonly string[] => (typeof entry === 'string' ? [entry] : Object.values(entry)))
  .toSorted();

async function textsIn(folder: string, ending: RegExp): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(new URL(folder, root), { recursive: true })).filter((file) =>
    ending.test(file),
  );
  const read = files.map(
    async (file) => [file, await readFile(new URL(`${folder}${file}`, root), 'utf8')] as const,
  );
  return new Map(await Promise.all(read));
}

/** The ids of ours in a text: `acme.health.W001` is one of an application. */
const idsIn = (text: string) =>
  Array.from(text.matchAll(/(?<![\w.])health\.[A-Z]\d{3}\b/g), ([id]) => id).toSorted();

test('an id is that of one message, and is known by its kind and its number', () => {
  expect(ids.length).toBeLessThanOrEqual(50);
  expect(ids).toEqual([...new Set(ids)]);
  for (const id of ids) expect(id).toMatch(/^health\.[EWI]\d{3}$/);
});

test('every id is in the docs, and the docs, the comments and the readme know no other', async () => {
  const pages = [...(await textsIn('docs/', /^[^/]+\.md$/)).values()];
  const documented = new Set(pages.flatMap(idsIn));
  expect(
    ids.filter((id) => !documented.has(id)),
    'docs/messages.md lacks',
  ).toEqual([]);
  const readme = await readFile(new URL('README.md', root), 'utf8');
  const comments = [...(await textsIn('src/', /\.c?ts$/)).values()];
  const strange = [readme, ...pages, ...comments].flatMap(idsIn).filter((id) => !ids.includes(id));
  expect(strange, `src/${home} lacks`).toEqual([]);
});

test('each id has an address of its own: a heading that says what it means', async () => {
  const page = await readFile(new URL('docs/messages.md', root), 'utf8');
  const sections = Array.from(page.matchAll(/^### (\S+)\n\n\*\*[A-Z]/gm), ([, id]) => id);
  expect(sections.toSorted(), 'the headings of docs/messages.md').toEqual(ids);
});
