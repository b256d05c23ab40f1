import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { whole } from '../whole.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const installed = join(inject('consumer'), 'node_modules/lifesign');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
/** A subpath with its file of each form; CommonJS where there is one. */
type Target = string | { readonly import: string; readonly require: string };
const targets = Object.entries<Target>(manifest.exports);
const esm = targets
  .map(([subpath, target]) => [subpath, typeof target === 'string' ? target : target.import] as const)
  .filter(([, file]) => file.endsWith('.js'));
const commonjs = targets.flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [[subpath, target.require] as const],
);
/** AdonisJS has no CommonJS form itself. */
const adonis = esm.map(([subpath]) => subpath).filter((subpath) => subpath.startsWith('./adonisjs'));
const require = createRequire(import.meta.url);

async function filesIn(directory: string, ending: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(directory, name));
}

const bin = (name: string) => join(root, 'node_modules/.bin', name);

test('publint finds nothing', async () => {
  await run(bin('publint'), ['run', inject('tarball'), '--strict'], { cwd: root });
});

// Half a minute; typescript.test.ts compiles against the same resolutions.
test.each(whole ? ['attw'] : [])('%s finds nothing', async () => {
  // Every resolution: node10, node16 from CommonJS and from ES modules, bundler.
  await run(bin('attw'), [inject('tarball'), '--exclude-entrypoints', ...adonis], { cwd: root });
  await run(bin('attw'), [inject('tarball'), '--entrypoints', ...adonis, '--profile', 'esm-only'], {
    cwd: root,
  });
});

test('each entry but those of AdonisJS has both forms', () => {
  const both = new Set(commonjs.map(([subpath]) => subpath));
  expect(esm.map(([subpath]) => subpath).filter((subpath) => !both.has(subpath))).toEqual(adonis);
});

/** The one exception: Nest's container is asked by Nest's own classes. Only applications of Nest load these files. */
const nestFile = /^dist\/(?:cjs\/)?frameworks\/nestjs[./]/;

test('nothing is imported at run time but Node itself and our own files', async () => {
  const imported = /(?:\bfrom|(?<![.-])\bimport|(?<!\.)\b(?:import|require)\()\s*['"`]([^'"`]+)['"`]/g;
  const foreign: string[] = [];
  for (const file of await filesIn(join(installed, 'dist'), '.js')) {
    // Examples in comments are no imports.
    const text = (await readFile(file, 'utf8')).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const [, specifier = ''] of text.matchAll(imported)) {
      const name = relative(installed, file);
      const [owner] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [''];
      if (nestFile.test(name) && Object.hasOwn(manifest.peerDependencies, owner)) continue;
      // Texts of `lifesign-cli explain` show imports of our own entries.
      if (!isBuiltin(specifier) && !/^(?:\.|lifesign\/)/.test(specifier))
        foreign.push(`${name}: ${specifier}`);
    }
  }
  expect(foreign).toEqual([]);
});

test('NODE_OPTIONS can name auto.js at the root', async () => {
  const auto = join(installed, 'auto.js');
  const serve = `require('node:http').createServer((_req, res) => res.end()).listen(0, async function () {
    const answer = await fetch('http://127.0.0.1:' + this.address().port + '/__lbheartbeat__');
    process.stdout.write(await answer.text(), () => process.exit());
  })`;
  // Vitest sets variables that keep lifesign/auto out.
  const env = { PATH: process.env['PATH'], HEALTH_SUMMARY: 'false', NODE_OPTIONS: `--import ${auto}` };
  const { stdout } = await run(process.execPath, ['-e', serve], { env });
  expect(stdout).toBe('{"status":"ok"}');
});

test('no dependencies', () => {
  expect(manifest.dependencies).toBeUndefined();
});

const code = [
  ...(await filesIn(join(installed, 'dist'), '.js')),
  ...(await filesIn(join(installed, 'dist'), '.cjs')),
];

// Node prints the line that threw before the error. The build for edge workers is never run as it is: bundlers take it.
test('no line of code is long', async () => {
  const text = /^(?:export \{|(?:const|var) \w+ = ["'`])/;
  const long: string[] = [];
  for (const file of code.filter((file) => !file.includes('/dist/edge/'))) {
    const lines = (await readFile(file, 'utf8')).split('\n');
    for (const line of lines) {
      if (line.length > 1200 && !text.test(line))
        long.push(`${relative(installed, file)}: ${line.slice(0, 80)}`);
    }
  }
  expect(long).toEqual([]);
});

test('every framework has the same names, beside its own', async () => {
  const frameworks = esm.filter(([, file]) => /\/frameworks\/(?:[a-z]+|[a-z]+\/index)\.js$/.test(file));
  expect(frameworks).toHaveLength(8);
  const common = ['Health', 'LifesignError', 'checks', 'listenOptions', 'noteError', 'requestId', 'signals'];
  for (const [subpath, file] of frameworks) {
    const names = Object.keys(await import(join(root, file)));
    expect([subpath, common.filter((name) => !names.includes(name))]).toEqual([subpath, []]);
  }
});

describe('public names', () => {
  // From here: peers such as Nest are not installed beside the tarball.
  test.each(esm)('of %s', async (_subpath, file) => {
    expect(Object.keys(await import(join(root, file))).toSorted()).toMatchSnapshot();
  });

  test.each(commonjs)('of %s are the same in CommonJS', async (subpath, file) => {
    const names = Object.keys(await import(join(root, new Map(esm).get(subpath) ?? '')));
    expect(Object.keys(require(join(root, file))).toSorted()).toEqual(names.toSorted());
  });
});
