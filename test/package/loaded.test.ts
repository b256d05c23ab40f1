// The time of an import grows with the code that it loads. Bytes are the same on every machine: they are limited here.
// Counted without white space and comments, which cost nothing at run time.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { minifiedBytes } from './minified.js';

const installed = join(inject('consumer'), 'node_modules/lifesign');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

/** Of an `import()` in CommonJS the `require` comes after an arrow. */
const atOnce = /\b(?:import|from)\s*["'](\.[^"']+)["']|(?<!=>\s*)\brequire\(["'`](\.[^"'`]+)["'`]\)/g;

/** The files that an entry loads at once, with their sizes; what an `import()` loads later is not among them. */
function loadedBy(file: string, loaded = new Map<string, number>()): Map<string, number> {
  if (loaded.has(file)) return loaded;
  const code = readFileSync(file, 'utf8');
  loaded.set(file, minifiedBytes(file));
  for (const [, esm, commonjs] of code.matchAll(atOnce)) {
    loadedBy(join(dirname(file), esm ?? commonjs ?? ''), loaded);
  }
  return loaded;
}

/** Raise one only for what every application needs: what an option turns on is loaded by an `import()`. */
const limits = { import: 243_500, require: 264_600 };
/** What the frameworks with settings have beside that, and what the entry is for that an option loads otherwise. */
const beside = (subpath: string) =>
  /nestjs|adonisjs/.test(subpath)
    ? 51_500
    : ({ './watchdog': 55_500, './worker': 16_500, './drain': 2500 }[subpath] ?? 0);

const entries = Object.entries<string | Record<'import' | 'require', string>>(manifest.exports).flatMap(
  ([subpath, target]) => {
    const forms = typeof target === 'string' ? { import: target } : target;
    return (['import', 'require'] as const)
      .map((form) => ({ subpath, form, file: Reflect.get(forms, form) as string | undefined }))
      .filter(({ file }) => file?.endsWith('.js') === true);
  },
);

/** Preloaded in every process, also in those that never serve anything: the rest comes with the first server. */
const preloaded = entries.filter(({ subpath }) => subpath === './auto');

test.each(preloaded)('$form of $subpath is a file of its own', ({ file = '' }) => {
  expect([...loadedBy(join(installed, file)).values()]).toEqual([expect.toSatisfy((size) => size < 6500)]);
});

const others = entries.filter(({ subpath }) => subpath !== './auto');
test.each(others)('$form of $subpath loads no more than it may', ({ subpath, form, file = '' }) => {
  const loaded = loadedBy(join(installed, file));
  const names = [...loaded.keys()].map((path) => basename(path));
  expect(names).toContain('core.js');
  // What the checks of clients do comes with the first client.
  expect(names).not.toContain('reasons.js');
  const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(limits[form] + beside(subpath));
});
