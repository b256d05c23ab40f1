import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pages } from './pages.js';

interface Site {
  readonly outDir: string;
  readonly srcDir: string;
  /** The files of all pages. */
  readonly built: readonly string[];
  /** With which every address begins. */
  readonly address: string;
}

/** Each page as Markdown beside it, and llms.txt with the list of them. */
export async function addTexts({ outDir, srcDir, built, address }: Site): Promise<void> {
  for (const page of built) {
    await mkdir(dirname(join(outDir, page)), { recursive: true });
    await copyFile(join(srcDir, page), join(outDir, page));
  }
  await writeFile(join(outDir, 'llms.txt'), await list(srcDir, address));
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
