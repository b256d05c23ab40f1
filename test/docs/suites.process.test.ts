import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));
const suites = Object.keys(scripts).filter((name) => /^test(?::|$)/.test(name));

test('npm run test:all runs every suite: only a part of npm test, itself and the mutations are left out', () => {
  const listed = execFileSync(process.execPath, ['scripts/test-all.mjs', '--list'], {
    cwd: root,
    encoding: 'utf8',
  });
  const run = [...listed.matchAll(/^(.*): \d+ minutes at most$/gm)].map(([, name]) => name);
  expect(run.toSorted()).toEqual(
    suites.filter((name) => !/^test:(?:unit|all|mutation)$/.test(name)).toSorted(),
  );
});

test('CONTRIBUTING.md says what each suite does', () => {
  const page = read('CONTRIBUTING.md');
  const named = (name: string) => page.includes(name === 'test' ? 'npm test' : `npm run ${name}`);
  expect(suites.filter((name) => !named(name))).toEqual([]);
});
