import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { entries } from '../../scripts/entries.mjs';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Upper bounds, which are only lowered. The goals: 40 % of the test files, 80 modules, and each of these listed in CONTRIBUTING.md. */
const bounds = { percent: 11, modules: 41, unlisted: 4 };

/** What tests may look into, by its pattern in CONTRIBUTING.md. */
const listed = Array.from(
  /## What tests look into\n(.*?)\n## /s
    .exec(read('CONTRIBUTING.md'))?.[1]
    ?.matchAll(/^\| `([^`]+)` +\| \S/gm) ?? [],
  ([, pattern = '']) => ({ pattern, matches: matching(pattern) }),
);

/** `*` is a part of a name, `{a,b}` one of them. */
function matching(pattern: string): RegExp {
  const source = pattern
    .replaceAll('.', '\\.')
    .replaceAll('*', '[^/]*')
    .replaceAll(/\{([^}]+)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`);
  return new RegExp(`^${source}$`);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((each) => {
    const path = posix.join(folder, each.name);
    if (each.isDirectory())
      return /^(?:node_modules|fixtures|consumers)$/.test(each.name) ? [] : filesIn(path);
    return /\.[cm]?[jt]s$/.test(each.name) ? [path] : [];
  });
}

/** The files of src and cli/src that a file of the tests names. */
function namedBy(file: string): readonly string[] {
  const literals = read(file).matchAll(/(['"`])(\.\.\/[\w./-]*\bsrc\/[\w./-]+\.)(c?)[jt]s\1/g);
  return Array.from(literals, ([, , path = '', c = '']) =>
    posix.join(posix.dirname(file), `${path}${c}ts`),
  ).filter((path) => /^(?:cli\/)?src\//.test(path));
}

const looks = new Map([...filesIn('test'), ...filesIn('cli/test')].map((file) => [file, namedBy(file)]));

test('tests go in by an entry, or look into a module that CONTRIBUTING.md lists with its reason', () => {
  const tests = [...looks.keys()].filter((file) => file.endsWith('.test.ts'));
  const inside = tests.filter((file) => looks.get(file)?.length !== 0);
  const modules = [...new Set([...looks.values()].flat())].toSorted();
  const unlisted = modules.filter((module) => !listed.some(({ matches }) => matches.test(module)));
  const percent = (100 * inside.length) / tests.length;
  const said = `${inside.length} of ${tests.length} test files (${percent.toFixed(1)} %) look inside, ${modules.length} private modules are named, ${unlisted.length} of them not listed:\n${unlisted.join('\n')}`;
  expect(modules.length, said).toBeGreaterThan(0);
  expect(percent, said).toBeLessThanOrEqual(bounds.percent);
  expect(modules.length, said).toBeLessThanOrEqual(bounds.modules);
  expect(unlisted.length, said).toBeLessThanOrEqual(bounds.unlisted);
});

test('no entry is named by its file: its name outlives the file', () => {
  const files = new Set(Object.values(entries));
  const named = [...looks].flatMap(([file, modules]) =>
    modules.filter((module) => files.has(module)).map((module) => `${file}: ${module}`),
  );
  expect(named).toEqual([]);
});

test('each module that CONTRIBUTING.md lists is looked into', () => {
  const modules = [...looks.values()].flat();
  const idle = listed.filter(({ matches }) => !modules.some((module) => matches.test(module)));
  expect(idle.map(({ pattern }) => pattern)).toEqual([]);
});

test('the compiler finds each entry where vitest does', () => {
  const { compilerOptions } = JSON.parse(read('test/tsconfig.json')) as {
    compilerOptions: { paths: Record<string, readonly [string]> };
  };
  const found = Object.entries(compilerOptions.paths).map(([name, [file]]) => [
    name,
    relative(root, join(root, 'test', file)),
  ]);
  expect(Object.fromEntries(found)).toEqual(entries);
});
