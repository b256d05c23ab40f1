// The declarations of the package, for ES modules and for CommonJS: TypeScript wants each form to have its own files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/**
 * Writes one file of declarations for each entry of each form, and files in types/ for what several of them need: a class must be declared
 * once. A file that needs no other package is the same in both forms: there, that of ES modules names what that of CommonJS declares.
 * Others import the declarations of frameworks, which differ.
 */
export async function writeTypes(root, { esm, commonjs }) {
  const scratch = mkdtempSync(join(tmpdir(), 'lifesign-types-'));
  const [emitted, rolled] = [join(scratch, 'emitted'), join(scratch, 'rolled')];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', emitted];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
  await rollUp(emitted, rolled, new Set([...esm.entries, ...commonjs.entries]));
  const required = reachable(rolled, commonjs.entries);
  for (const [name, text] of required) write(commonjs.directory, name, text);
  const isShared = sharedAmong(required);
  for (const [name, text] of reachable(rolled, esm.entries)) {
    const path = relativeTo(join(esm.directory, dirname(name)), join(commonjs.directory, name));
    write(esm.directory, name, isShared(name) ? `export * from '${path}.js';\n` : text);
  }
  rmSync(scratch, { recursive: true });
}

/** Whether an id is the entry that others export as `checks`. */
const isChecks = (id) => /(?:^|\/)checks\/index\.js$/.test(id);

/** The bundler makes values of the types in `export * as checks`: those files import the entry instead. */
const namespaceApart = {
  name: 'namespace-apart',
  resolveId: (source, importer) =>
    importer !== undefined && isChecks(source) ? { id: 'lifesign/checks', external: true } : undefined,
  renderChunk: (code, { fileName }) =>
    code.replaceAll("'lifesign/checks'", `'${relativeTo(dirname(fileName), 'checks/index.js')}'`),
};

/** Leaves out what no entry shows of the declarations. */
async function rollUp(emitted, rolled, entries) {
  const built = await rollup({
    input: Object.fromEntries([...entries].map((name) => [name, join(emitted, `${name}.d.ts`)])),
    external: (id) => !/^[./]/.test(id),
    plugins: [namespaceApart, dts()],
    onLog(level, log, print) {
      // The types that entries share are not exported by name, and never were.
      if (log.pluginCode !== undefined || !/no public re-export/.test(log.message)) print(level, log);
    },
  });
  await built.write({
    dir: rolled,
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`,
    manualChunks: (id) =>
      /^(?:core|checks|profiles)(?=\/)(?!\/index\.)/.exec(relative(emitted, id).replaceAll('\\', '/'))?.[0],
    hoistTransitiveImports: false,
    minifyInternalExports: false,
  });
}

/** The specifier of a file, for one in a directory. */
function relativeTo(directory, file) {
  const path = relative(directory, file).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}

function write(directory, name, text) {
  const file = join(directory, `${name}.d.ts`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Whether a file of these needs no other package, and nothing that does. */
function sharedAmong(files) {
  const shared = new Set([...files].filter(([, text]) => isOwn(text)).map(([name]) => name));
  // Until nothing changes: files may need each other.
  for (let before = Infinity; shared.size < before;) {
    before = shared.size;
    for (const name of shared) {
      if (!needed(name, files.get(name)).every((other) => shared.has(other))) shared.delete(name);
    }
  }
  return (name) => shared.has(name);
}

/** Whether a file names Node and our own files only. `export *` leaves out a default export. */
function isOwn(text) {
  if (/\bexport (?:default|\{[^}]*\bdefault\b)|\bdeclare (?:module|global)\b/.test(text)) return false;
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
  const imports = [...code.matchAll(/(?:from|import\() ?['"]([^.'"][^'"]*)['"]/g)];
  return imports.every(([, id]) => id.startsWith('node:'));
}

function reachable(directory, entries) {
  const found = new Map();
  const visit = (name) => {
    if (found.has(name)) return;
    const text = read(join(directory, `${name}.d.ts`));
    found.set(name, text);
    needed(name, text).forEach(visit);
  };
  entries.forEach(visit);
  return found;
}

/** The files that a file names. */
function needed(name, text) {
  return [...text.matchAll(/['"](\.[^'"]*)\.js['"]/g)].map(([, specifier]) =>
    normalize(join(dirname(name), specifier)).replaceAll('\\', '/'),
  );
}

/** Without private and protected members: they would make a class of one form another type than the same class of the other. */
function read(file) {
  return readFileSync(file, 'utf8').replaceAll(/^ +(?:#private|protected [^\n{}]+);\n/gm, '');
}
