import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

const dist = join(inject('consumer'), 'node_modules/lifesign/dist');

/** A declaration file without its comments: what a signature says, and nothing else. */
function signatures(text: string): string {
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/\s*|^\s*\/\/.*$/gm, '').trim();
  return code.replaceAll(/\n\s*\n+/g, '\n');
}

test('the public types are those of the report: a changed signature is a deliberate act', async () => {
  const names = await readdir(dist, { recursive: true });
  const files = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.d.ts') && !name.startsWith('cjs/'))
    .toSorted();
  expect(files.length).toBeGreaterThan(20);
  const parts: string[] = [];
  for (const file of files) {
    const text = await readFile(join(dist, file), 'utf8');
    // A file that is the same in both forms is declared once.
    const isShared = /^export \* from '[./]+\/cjs\/[^']+';\n$/.test(text);
    const declared = isShared ? await readFile(join(dist, 'cjs', file), 'utf8') : text;
    parts.push(`// ${file}\n${signatures(declared)}\n`);
  }
  // After a change that is meant: npx vitest run --project package test/package/api.test.ts -u
  await expect(parts.join('\n')).toMatchFileSnapshot('api-report.txt');
});
