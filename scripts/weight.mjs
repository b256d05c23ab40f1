// What the package weighs: node scripts/weight.mjs [DIRECTORY OF THE PACKAGE]
// For each entry: the code that an import loads at once, and what `new Health()` loads beside it, minified and compressed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildSync, transformSync } from 'esbuild';

const minifiedFiles = new Map();

/** The code of a file as a minifier writes it: white space and comments cost nothing, and long names cost little. */
export function minified(file) {
  const known = minifiedFiles.get(file);
  if (known !== undefined) return known;
  const format = /^(?:import|export)\b/m.test(readFileSync(file, 'utf8')) ? 'esm' : 'cjs';
  const { code } = transformSync(readFileSync(file, 'utf8'), { format, minify: true, legalComments: 'none' });
  minifiedFiles.set(file, code);
  return code;
}

/** In CommonJS the `require` of an `import()` comes after an arrow. */
const atOnce = /\b(?:import|from)\s*["']([.#][^"']+)["']|(?<!=>\s*)\brequire\(["'`](\.[^"'`]+)["'`]\)/g;

/** The files that an entry loads at once; what an `import()` or a function loads later is not among them. */
export function loadedBy(file, loaded = new Set()) {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const [, esm, commonjs] of readFileSync(file, 'utf8').matchAll(atOnce)) {
    loadedBy(fileOf(esm ?? commonjs, file), loaded);
  }
  return loaded;
}

/** The file of an import; Node takes those with a `#` from package.json. */
function fileOf(specifier, from) {
  return specifier.startsWith('#') ? createRequire(from).resolve(specifier) : join(dirname(from), specifier);
}

/** Bytes of some files: minified, and compressed as one. */
export function weigh(files) {
  const code = [...files].map(minified).join('\n');
  return { minified: Buffer.byteLength(code), gzip: gzipSync(code, { level: 9 }).length };
}

/** The entries of a package, with their file in each form. */
export function entriesOf(directory) {
  const { exports: exported } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return Object.entries(exported).flatMap(([subpath, target]) => {
    const forms = typeof target === 'string' ? { import: target } : target;
    return ['import', 'require']
      .filter((form) => forms[form]?.endsWith('.js'))
      .map((form) => ({ subpath, form, file: join(directory, forms[form]) }));
  });
}

/** Runs in a process of its own: makes a Health and prints every file of ours that was loaded by then. */
const program = `
import { createRequire, register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';
const { port1, port2 } = new MessageChannel();
const files = new Set();
port1.on('message', (url) => files.add(url)).unref();
const hook = 'let port; export const initialize = (data) => { port = data.port; };' +
  'export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };';
register('data:text/javascript,' + encodeURIComponent(hook), { data: { port: port2 }, transferList: [port2] });
const { Health } = await import(process.argv[1]);
new Health();
await new Promise((resolve) => setTimeout(resolve, 100));
const required = Object.keys(createRequire(process.argv[1]).cache).map((file) => 'file://' + file);
console.log(JSON.stringify([...files, ...required]));`;

/** The files of the package that are loaded once a Health was made without options. */
export function loadedByHealth(directory, file) {
  const args = ['--input-type=module', '--eval', program, file];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} makes no Health: ${stderr}`);
  const paths = JSON.parse(stdout.trim().split('\n').at(-1)).filter((url) => url.startsWith('file:'));
  const own = join(directory, 'dist');
  return new Set(paths.map((url) => fileURLToPath(url)).filter((path) => path.startsWith(own)));
}

/** One file for an edge worker with everything that `lifesign/fetch` exports, as its bundler makes it. */
export function edgeBundle(directory) {
  const { outputFiles } = buildSync({
    stdin: { contents: "export * from 'lifesign/fetch';", resolveDir: directory },
    // The package finds itself by its name, as it is published.
    absWorkingDir: directory,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'module', 'import'],
    external: ['node:*'],
    minify: true,
    legalComments: 'none',
    write: false,
  });
  const [{ contents }] = outputFiles;
  return { minified: contents.length, gzip: gzipSync(contents, { level: 9 }).length };
}

/** The entries of which `new Health()` needs no application and no other package. */
const withHealth = /^\.\/(?:express|fastify|fetch|hono|koa|node|worker)$/;

const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(7);

const row = (name, ...figures) => console.log(name.padEnd(34), ...figures.map(kb));

function print(directory) {
  console.log(`${'KB'.padEnd(34)} import  gzip    Health  gzip`);
  for (const { subpath, form, file } of entriesOf(directory)) {
    const atImport = weigh(loadedBy(file));
    const figures = [atImport.minified, atImport.gzip];
    if (form === 'import' && withHealth.test(subpath)) {
      const made = weigh(loadedByHealth(directory, file));
      figures.push(made.minified, made.gzip);
    }
    row(`${form} ${subpath}`, ...figures);
  }
  const edge = edgeBundle(directory);
  row('one edge bundle of ./fetch', edge.minified, edge.gzip);
  const pack = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: directory,
    encoding: 'utf8',
  }).stdout;
  const [{ size, unpackedSize }] = JSON.parse(pack.slice(pack.indexOf('[')));
  row('on disk, and as downloaded', unpackedSize, size);
}

if (process.argv[1] === import.meta.filename) {
  print(process.argv[2] ?? join(import.meta.dirname, '..'));
}
