// The declarations of the package, for ES modules and for CommonJS: TypeScript wants each form to have its own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';

/** Writes to each directory the declarations of its entries and of what these need. */
export function writeTypes(root, entriesByDirectory) {
  const emitted = mkdtempSync(join(tmpdir(), 'lifesign-types-'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', emitted];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
  for (const [directory, entries] of Object.entries(entriesByDirectory)) {
    for (const [name, text] of reachable(emitted, entries)) {
      const file = join(directory, `${name}.d.ts`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  rmSync(emitted, { recursive: true });
}

function reachable(directory, entries) {
  const found = new Map();
  const visit = (name) => {
    if (found.has(name)) return;
    const text = read(join(directory, `${name}.d.ts`));
    found.set(name, text);
    for (const [, specifier] of text.matchAll(/['"](\.[^'"]*)\.js['"]/g)) {
      visit(normalize(join(dirname(name), specifier)).replaceAll('\\', '/'));
    }
  };
  entries.forEach(visit);
  return found;
}

/** Without private and protected members: they would make a class of one form another type than the same class of the other. */
function read(file) {
  return readFileSync(file, 'utf8').replaceAll(/^ +(?:#private|protected [^\n{}]+);\n/gm, '');
}
