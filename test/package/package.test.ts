import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const installed = join(inject('consumer'), 'node_modules/lifesign');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const entries = Object.entries<string>(manifest.exports).filter(([, file]) => file.endsWith('.js'));

async function filesIn(directory: string, ending: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(directory, name));
}

test('publint and attw find nothing', async () => {
  const bin = (name: string) => join(root, 'node_modules/.bin', name);
  await run(bin('publint'), ['run', inject('tarball'), '--strict'], { cwd: root });
  await run(bin('attw'), [inject('tarball'), '--profile', 'esm-only'], { cwd: root });
});

/** The one exception: Nest's container is asked by Nest's own classes. Only applications of Nest load these files. */
const nestFile = /^dist\/frameworks\/nestjs[./]/;

test('nothing is imported at run time but Node itself and our own files', async () => {
  const imported = /(?:\bfrom|(?<!\.)\bimport|(?<!\.)\bimport\()\s*['"]([^'"]+)['"]/g;
  const foreign: string[] = [];
  for (const file of await filesIn(join(installed, 'dist'), '.js')) {
    // Examples in comments are no imports.
    const code = (await readFile(file, 'utf8')).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const [, specifier = ''] of code.matchAll(imported)) {
      const name = relative(installed, file);
      if (nestFile.test(name) && Object.hasOwn(manifest.peerDependencies, specifier)) continue;
      if (!/^(node:|\.)/.test(specifier)) foreign.push(`${name}: ${specifier}`);
    }
  }
  expect(foreign).toEqual([]);
});

test('no dependencies, and a package below 150 KB', async () => {
  expect(manifest.dependencies).toBeUndefined();
  expect((await stat(inject('tarball'))).size).toBeLessThan(150_000);
});

describe('public names', () => {
  test.each(entries)('of %s', async (_subpath, file) => {
    // From here: peers such as Nest are not installed beside the tarball.
    const names = Object.keys(await import(join(root, file)));
    expect(names.toSorted()).toMatchSnapshot();
  });
});
