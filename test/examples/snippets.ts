import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** A block of code in a page. */
export interface Snippet {
  /** `docs/checks.md:12`. */
  readonly place: string;
  readonly language: string;
  /** What stands behind the language: `fragment` marks code that is no whole program. */
  readonly note: string;
  readonly code: string;
  /** The text block right behind it: what it prints. */
  readonly output: string | undefined;
}

/** Every page that readers see. */
export async function pages(): Promise<string[]> {
  const names = await readdir(join(root, 'docs'), { recursive: true });
  // Those of the site that are generated are not ours to read.
  const written = names.filter((name) => name.endsWith('.md') && !/^(?:api|files)\//.test(name));
  const docs = written.map((name) => join('docs', name));
  const others = (await readdir(join(root, 'contributing'))).map((name) => join('contributing', name));
  return ['README.md', 'CONTRIBUTING.md', 'SKILL.md', ...docs.toSorted(), ...others.toSorted()];
}

const block = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$(?:\s*^```text[^\n]*\n([\s\S]*?)^```$)?/gm;

/** The blocks of code of a page, in order. */
export async function snippetsOf(page: string): Promise<Snippet[]> {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(block)].map((match) => {
    const [, language = '', note = '', code = '', output] = match;
    const line = text.slice(0, match.index).split('\n').length;
    return { place: `${page}:${line}`, language, note: note.trim(), code, output };
  });
}
