// The declarations of the package, for ES modules and for CommonJS: TypeScript wants each form to have its own files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';

/**
 * Writes the declarations of the entries of each form, and of what these need. A file that needs no other package is the same in both
 * forms: there, that of ES modules names what that of CommonJS declares. Others import the declarations of frameworks, which differ.
 */
export function writeTypes(root, { esm, commonjs }) {
  const emitted = mkdtempSync(join(tmpdir(), 'lifesign-types-'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', emitted];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
  const required = reachable(emitted, commonjs.entries);
  for (const [name, text] of required) write(commonjs.directory, name, text);
  const isShared = sharedAmong(required);
  for (const [name, text] of reachable(emitted, esm.entries)) {
    const path = relative(join(esm.directory, dirname(name)), join(commonjs.directory, name)).replaceAll(
      '\\',
      '/',
    );
    write(
      esm.directory,
      name,
      isShared(name) ? `export * from '${path.startsWith('.') ? path : `./${path}`}.js';\n` : text,
    );
  }
  rmSync(emitted, { recursive: true });
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
  const imports = [...text.matchAll(/(?:from|import\() ?['"]([^.'"][^'"]*)['"]/g)];
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
