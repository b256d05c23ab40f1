import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import config, { type Project, projectsOf, tests } from '../../vitest.config.js';
import { hosts } from '../hosts/packages.js';
import { isLeftOut, leftOut } from '../left-out.js';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));
const suites = Object.keys(scripts).filter((name) => /^test(?::|$)/.test(name));

const nameOf = ({ test: { name } }: Project): string => name;
// It tells the tests that they are whole: not to those of this process.
const { WHOLE } = process.env;
const { default: everything } = await import('../../vitest.all.config.js');
if (WHOLE === undefined) delete process.env['WHOLE'];
const all = everything.test?.projects as readonly Project[];

test('npm run test:all runs the checks and every suite: only parts of others, itself and the mutations are left out', () => {
  const listed = execFileSync(process.execPath, ['scripts/test-all.mjs', '--list'], {
    cwd: root,
    encoding: 'utf8',
  });
  const run = [...listed.matchAll(/^(.*): \d+ minutes at most$/gm)].map(([, name]) => name);
  const left = /^test(?::(?:unit|guest|all|mutation))?$/;
  expect(run.toSorted()).toEqual(['check', ...suites.filter((name) => !left.test(name))].toSorted());
});

test('there are two configs of vitest, and each project belongs to a script', () => {
  expect(
    readdirSync(root)
      .filter((name) => /^vitest\..*config/.test(name))
      .toSorted(),
  ).toEqual(['vitest.all.config.ts', 'vitest.config.ts']);
  const parts = [...read('scripts/test.mjs').matchAll(/^const \w+ = '([a-z0-9 -]+)';$/gm)];
  const named = ['faults', ...parts.flatMap(([, names = '']) => names.split(' '))];
  expect(named.toSorted()).toEqual(projectsOf(tests).map(nameOf).toSorted());
  const commands = Object.values(scripts).join('\n');
  const others = all.map(nameOf).filter((name) => !name.startsWith('whole-'));
  expect(others.filter((name) => !commands.includes(`vitest.all.config.ts --project ${name}`))).toEqual([]);
  expect(commands).toContain('vitest.all.config.ts --project "whole-*"');
});

test('each file with tests belongs to one project of everything, and to one of npm test or is left out', () => {
  expect(tests.length).toBeGreaterThan(200);
  const files = (projects: readonly Project[]) => projects.flatMap(({ test }) => test.include);
  // Once more on another major.
  const once = all.filter((each) => !/nest11|adonis7/.test(nameOf(each)));
  const again = tests.filter((file) => /hosts\/(?:nest11|adonis7)\//.test(file));
  expect([...files(once), ...again].toSorted()).toEqual([...tests].toSorted());
  const taken = new Set(files(config.test?.projects as readonly Project[]));
  expect(tests.filter((file) => taken.has(file) === isLeftOut(file))).toEqual([]);
  expect(leftOut.filter((pattern) => !tests.some((file) => pattern.test(file)))).toEqual([]);
});

test('npm test is the same set every time: no file asks chance, but for names of files and a seed that it prints', () => {
  const asking = [...tests, 'vitest.config.ts', 'test/whole.ts', 'test/seed.ts', 'scripts/test.mjs'].filter(
    (file) => /Math\.random\(|randomInt\(/.test(read(file)),
  );
  expect(asking.filter((file) => !/docs\/suites\./.test(file))).toEqual([]);
});

test('a package that npm ci leaves out is locked, and installed by the command or the run that needs it', () => {
  const { workspaces }: { workspaces: readonly string[] } = JSON.parse(read('package.json'));
  const commands = Object.values(scripts).join('\n');
  const installed = [...commands.matchAll(/scripts\/install\.mjs (\S+)/g)].map(([, folder = '']) => folder);
  expect(installed.toSorted()).toEqual([
    'site',
    'test/hosts/adonis7',
    'test/hosts/consumers',
    'test/mutation',
  ]);
  for (const folder of [...installed, ...hosts.map((host) => `test/hosts/${host}`)]) {
    expect(workspaces).not.toContain(folder);
    const { packages } = JSON.parse(read(`${folder}/package-lock.json`));
    const { dependencies, devDependencies } = JSON.parse(read(`${folder}/package.json`));
    expect(packages['']).toMatchObject({
      ...(dependencies && { dependencies }),
      ...(devDependencies && { devDependencies }),
    });
  }
});

test('CONTRIBUTING.md says what each suite does', () => {
  const page = read('CONTRIBUTING.md');
  const named = (name: string) => page.includes(name === 'test' ? 'npm test' : `npm run ${name}`);
  expect(suites.filter((name) => !named(name))).toEqual([]);
});
