// Writes the sources that are made of other files: the script and style of the health page, and the documentation of message ids and error
// codes. `node scripts/made.mjs --check` only says whether one is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { sectionsOf } from './sections.mjs';

const root = join(import.meta.dirname, '..');

function assets() {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: ['src/page/browser/live.ts', 'src/page/browser/page.css'],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    charset: 'utf8',
    target: ['chrome100', 'firefox100', 'safari15.4'],
    outdir: 'out',
  });
  const [script, style] = outputFiles.map(({ text }) => JSON.stringify(text.trim()));
  return `// Made from src/page/browser by scripts/made.mjs: edit there.
export const script: string = ${script};
export const style: string = ${style};
`;
}

function sections(pages, name, types) {
  const lines = [pages]
    .flat()
    .flatMap(sectionsOf)
    .map((section) => `  ${JSON.stringify(section)},\n`);
  return `// Made from ${[pages]
    .flat()
    .map((page) => `docs/${page}.md`)
    .join(' and ')} by scripts/made.mjs: edit there.
import type { Section } from '${types}';

export const ${name}: readonly Section[] = [
${lines.join('')}];
`;
}

const made = {
  'src/page/assets.ts': assets,
  'src/explain/messages.ts': () => sections('messages', 'messageSections', './section.js'),
  'cli/src/explain/rules.ts': () => sections(['verify', 'doctor'], 'ruleSections', '../../../src/tools.js'),
  'cli/src/explain/errors.ts': () => sections('errors', 'errorSections', '../../../src/tools.js'),
};

/** Writes those that are out of date, and returns their names. */
export function writeMade({ check = false } = {}) {
  return Object.entries(made).flatMap(([file, make]) => {
    const path = join(root, file);
    const source = make();
    if (readFileSync(path, 'utf8') === source) return [];
    if (!check) writeFileSync(path, source);
    return [file];
  });
}

if (process.argv[1] === import.meta.filename) {
  const check = process.argv.includes('--check');
  for (const file of writeMade({ check })) {
    console.error(check ? `${file} is out of date: run node scripts/made.mjs` : `${file} was written`);
    if (check) process.exitCode = 1;
  }
}
