// Builds the package: node scripts/build.mjs [DIRECTORY] [--no-types]
// ES modules are in DIRECTORY, the same as CommonJS in DIRECTORY/cjs, and what edge workers take in DIRECTORY/edge.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { writeMade } from './made.mjs';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-types': { type: 'boolean' } },
});
const [dist = join(root, 'dist')] = positionals;
const { exports: exported } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The sources of the entries, by a condition of package.json. */
const entriesOf = (condition) =>
  Object.values(exported)
    .map((target) => target[condition]?.default ?? target[condition] ?? (condition === 'import' && target))
    .filter((file) => typeof file === 'string' && file.endsWith('.js'))
    .map((file) => file.replace(/^\.\/dist\/(?:cjs\/|edge\/)?(.*)\.js$/, '$1'));
const entries = entriesOf('import');

const common = {
  cwd: root,
  // The user's packages and Node's own.
  external: (id) => !/^[./]/.test(id),
  platform: 'node',
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  transform: { target: 'es2022' },
};
const output = {
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  exports: 'named',
  esModule: true,
  // Bundlers leave out what is marked as pure and not used.
  comments: { legal: false, annotation: true, jsdoc: false },
};

/** Bundles sources by the names of their files, once for each output. */
async function bundle(input, outputs, options = {}) {
  const names = Array.isArray(input) ? input.map((name) => [name, `src/${name}.ts`]) : Object.entries(input);
  const built = await rolldown({ ...common, ...options, input: Object.fromEntries(names) });
  for (const each of outputs) await built.write({ ...output, ...each });
  await built.close();
}

/** Each file that Node loads takes it a millisecond: what every framework needs is one. */
const core = { name: 'core', test: /\/src\/(?:profiles\/extension|http\/node\/serve|index)\.ts$/ };

async function code() {
  const forms = [
    { dir: dist, format: 'esm' },
    { dir: join(dist, 'cjs'), format: 'cjs' },
  ];
  // lifesign/auto loads its second part with the first server.
  await bundle(
    [...entries, 'auto/attach'],
    forms.map((form) => ({ ...form, codeSplitting: { groups: [core] } })),
  );
  // The watchdog's thread starts with nothing else.
  await bundle(
    { thread: 'src/watchdog/thread.ts' },
    forms.map((form) => ({ ...form, dir: join(form.dir, 'chunks') })),
  );
  // A probe starts as fast as Node does: Dockerfiles name this file in their HEALTHCHECK.
  await bundle(
    { bin: 'src/command/bin.cts' },
    [{ dir: join(dist, 'cli'), format: 'cjs', entryFileNames: '[name].cjs' }],
    { external: /^node:|\/main\.js$/ },
  );
  chmodSync(join(dist, 'cli/bin.cjs'), 0o755);
  await bundle({ 'cli/main': 'src/command/main.ts' }, [
    { dir: dist, format: 'esm', chunkFileNames: 'cli/[name].js' },
  ]);
  await bundle(
    entriesOf('workerd'),
    // One file for all entries.
    [
      {
        dir: join(dist, 'edge'),
        format: 'esm',
        minify: true,
        codeSplitting: { groups: [{ name: 'all', test: /./ }] },
      },
    ],
    { resolve: { extensionAlias: { '.js': ['.edge.ts', '.ts'] } } },
  );
}

/**
 * The compiler's declarations, which each form needs for itself: those of ES modules export those of CommonJS, so that a class is declared once.
 * Files of frameworks import the types of theirs, which may differ in the two forms: they are copied.
 */
function types() {
  const commonjs = join(dist, 'cjs');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', commonjs];
  execFileSync(process.execPath, [tsc, ...args], { stdio: 'inherit' });
  for (const file of readdirSync(commonjs, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const target = join(dist, file);
    const specifier = relative(dirname(target), join(commonjs, file)).replaceAll('\\', '/');
    mkdirSync(dirname(target), { recursive: true });
    if (file.startsWith('frameworks')) cpSync(join(commonjs, file), target);
    else writeFileSync(target, `export * from './${specifier.replace(/\.d\.ts$/, '.js')}';\n`);
  }
}

rmSync(dist, { recursive: true, force: true });
for (const file of writeMade()) console.log(`${file} was written`);
mkdirSync(join(dist, 'cjs'), { recursive: true });
// Says to Node and TypeScript that these files are CommonJS.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs", "sideEffects": ["./auto/index.js"] }\n');
await code();
if (values['no-types'] !== true) types();
