import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pages } from './pages.js';

interface Site {
  readonly outDir: string;
  readonly srcDir: string;
  /** The files of all pages. */
  readonly built: readonly string[];
  readonly moved: Readonly<Record<string, string>>;
  /** With which every address begins. */
  readonly address: string;
}

/** Each page as Markdown beside it, llms.txt with the list of them, and a page that leads on from each old address. */
export async function addTexts({ outDir, srcDir, built, moved, address }: Site): Promise<void> {
  for (const page of built) {
    await mkdir(dirname(join(outDir, page)), { recursive: true });
    await copyFile(join(srcDir, page), join(outDir, page));
  }
  await writeFile(join(outDir, 'llms.txt'), await list(srcDir, address));
  await redirect(outDir, moved, address);
}

/** A page at each old address that leads to the new one: a static host has no other way. */
export async function redirect(outDir: string, moved: Site['moved'], address: string): Promise<void> {
  const base = new URL(address, 'http://x').pathname;
  for (const [old, page] of Object.entries(moved)) {
    await mkdir(dirname(join(outDir, old)), { recursive: true });
    await writeFile(join(outDir, `${old}.html`), leading(`${base}${page}.html`));
  }
}

/** The list of all pages with the first sentence of each, as llmstxt.org has it. */
async function list(srcDir: string, address: string): Promise<string> {
  const index = await readFile(join(srcDir, 'index.md'), 'utf8');
  const about = /^ {2}tagline: (.*)$/m.exec(index)?.[1] ?? '';
  const skill = await readFile(join(srcDir, '../SKILL.md'), 'utf8');
  const guide = skill
    .slice(skill.indexOf('\n# '))
    .replace(/^\s*# .*\s*/, '')
    .replaceAll(/^## /gm, '### ');
  const parts = [`# lifesign\n\n> ${about}`, `## In short\n\n${guide.trim()}`];
  for (const { text, pages: links } of pages) {
    const lines = Object.entries(links).map(async ([name, page]) => {
      const file = page.endsWith('/') ? `${page}index.md` : `${page}.md`;
      const first = /^# .*\n+([^\n#|`<-][^\n]*(?:\n[^\n]+)*)/m.exec(
        await readFile(join(srcDir, file), 'utf8'),
      )?.[1];
      const said = first?.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
      return `- [${name}](${address}${file})${said === undefined ? '' : `: ${said}`}`;
    });
    parts.push(`## ${text}\n\n${(await Promise.all(lines)).join('\n')}`);
  }
  return `${parts.join('\n\n')}\n`;
}

const leading = (target: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>This page has moved</title>
<link rel="canonical" href="${target}">
<meta http-equiv="refresh" content="0; url=${target}">
<p>This page has moved to <a href="${target}">${target}</a>.</p>
</html>
`;
