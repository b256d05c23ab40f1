// Makes a single file of each test that mutants are tried with, beside it: a mutant costs a fraction when no modules have to be loaded. Run by Stryker in its copy.
import { readdir, readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Tests of other processes and of second copies of the core, where no mutant is turned on, and of growth. */
const left = /\.process\.test\.ts$|core\/(?:runtime|shared|scrub\/linear)\.test\.ts$/;

/** Some of them, for a look at a single file: `TESTS=core/scrub npm run test:mutation -- --mutate src/core/scrub/secrets.ts`. */
const chosen = process.env['TESTS'] ?? '';

const found = await readdir('test/core', { recursive: true });
const tests = [...found.map((name) => `test/core/${name}`), 'test/conformance/in-memory.test.ts'].filter(
  (name) => name.endsWith('.test.ts') && name.includes(chosen) && !left.test(name),
);

/** A file finds its neighbours where they are, and a property is tried with few cases: thousands for each mutant would take hours. */
const rewritten = {
  name: 'rewritten',
  setup(bundler) {
    bundler.onLoad({ filter: /\/test\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const address = JSON.stringify(pathToFileURL(path).href);
      const contents = text.replaceAll('import.meta.url', address).replace(/\bnumRuns: \d+/g, 'numRuns: 20');
      return { contents, loader: 'ts' };
    });
  },
};

await build({
  entryPoints: tests,
  outdir: 'test',
  outbase: 'test',
  outExtension: { '.js': '.bundle.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  keepNames: true,
  logLevel: 'warning',
  plugins: [rewritten],
});
