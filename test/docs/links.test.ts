import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, root } from '../examples/snippets.js';

const files = [...(await pages()), 'SECURITY.md', 'CHANGELOG.md'];

/** Without code, whose brackets are no links and whose comments are no headings. */
const proseOf = async (file: string) =>
  (await readFile(join(root, file), 'utf8')).replaceAll(/^```[\s\S]*?^```$/gm, '');

/** As the site and the usual hosts of repositories make the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

async function anchorsOf(file: string): Promise<ReadonlySet<string>> {
  const headings = Array.from((await proseOf(file)).matchAll(/^#{1,6} (.+)$/gm), ([, text = '']) => text);
  return new Set(headings.map(anchorOf));
}

test('each link between the pages leads to a file and a heading that exist', async () => {
  const broken: string[] = [];
  let seen = 0;
  for (const file of files) {
    const text = (await proseOf(file)).replaceAll(/`[^`\n]*`/g, '``');
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      seen += 1;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      const found = existsSync(join(root, target));
      const known = anchor === undefined || (found && (await anchorsOf(target)).has(anchor));
      if (!found || !known) broken.push(`${file}: ${link}`);
    }
  }
  expect(seen).toBeGreaterThan(300);
  expect(broken).toEqual([]);
});
