import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { pages } from '../../site/.vitepress/pages.js';
import { helpFor } from '../../src/core/options/errors.js';
import { inProcess } from '../../cli/test/run.js';
import { base, dist } from './build.js';

const site = inject('site');
const html = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.html'));
const texts = new Map<string, string>();
for (const name of html) texts.set(name, await readFile(join(dist, name), 'utf8'));
const files = new Set(await readdir(dist, { recursive: true }));

const idsOf = (text: string) => new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
const ids = new Map([...texts].map(([name, text]) => [name, idsOf(text)]));

/** What a link of a page leads to: undefined for another host. */
function targetOf(page: string, href: string): { file: string; anchor: string } | undefined {
  const from = `https://docs.example${base}${page}`;
  const url = new URL(href.replaceAll('&amp;', '&'), from);
  if (url.host !== 'docs.example') return undefined;
  const path = decodeURIComponent(url.pathname.slice(base.length));
  const file = [path, `${path}.html`, join(path, 'index.html')].find(
    (name) => files.has(name) && /\.\w+$/.test(name),
  );
  return { file: file ?? `missing: ${path}`, anchor: decodeURIComponent(url.hash.slice(1)) };
}

test('no link and no anchor is broken', () => {
  const broken: string[] = [];
  let seen = 0;
  for (const [page, text] of texts) {
    for (const [, href = ''] of text.matchAll(/<(?:a|link|img|script)\s[^>]*?(?:href|src)="([^"]+)"/g)) {
      const target = targetOf(page, href);
      if (target === undefined) continue;
      seen += 1;
      const known = target.anchor === '' || (ids.get(target.file)?.has(target.anchor) ?? false);
      if (!files.has(target.file) || !known) broken.push(`${page}: ${href}`);
    }
  }
  expect(seen).toBeGreaterThan(1000);
  expect(broken).toEqual([]);
});

test('every message id and every error code has its address, as messages and errors carry it', async () => {
  const { stdout } = await inProcess(['explain', '--list', '--json']);
  const sections: readonly { readonly id: string }[] = JSON.parse(stdout);
  expect(sections.length).toBeGreaterThan(80);
  const lost = sections.filter(({ id }) => {
    const target = targetOf('index.html', helpFor(id, `https://docs.example${base}`));
    return target === undefined || ids.get(target.file)?.has(target.anchor) !== true;
  });
  expect(lost.map(({ id }) => id)).toEqual([]);
});

test('the pages of the API are named like the imports', () => {
  const api = html.filter((name) => name.startsWith('api/')).map((name) => name.slice('api/'.length));
  expect(api).toContain('lifesign/signals.html');
  expect(api.filter((name) => /\d/.test(name))).toEqual([]);
});

describe('beside the pages', () => {
  test('each page is there as Markdown, and llms.txt leads to it', async () => {
    const list = await (await fetch(`${site}llms.txt`)).text();
    for (const page of pages.flatMap((group) => Object.values(group.pages))) {
      const file = page.endsWith('/') ? `${page}index.md` : `${page}.md`;
      expect(list).toContain(`(https://docs.example${base}${file})`);
      expect(await (await fetch(site + file)).text()).toMatch(/^# /m);
    }
  });

  test('a sitemap, a picture for others to show, and a page for what is not there', async () => {
    expect(await (await fetch(`${site}sitemap.xml`)).text()).toContain(`https://docs.example${base}errors`);
    expect(texts.get('index.html')).toContain(`content="https://docs.example${base}social.png"`);
    expect((await fetch(`${site}social.png`)).headers.get('content-type')).toBe('image/png');
    const missing = await fetch(`${site}nowhere`);
    expect([missing.status, (await missing.text()).includes('lifesign')]).toEqual([404, true]);
  });
});
