import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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

function directory(parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, 'lifesign-suites-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

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

test('npm test is the same set every time: nothing is drawn, whatever is in the environment', () => {
  const list = (sample: string) => {
    const args = ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', '--json'];
    const env = { ...process.env, SAMPLE: sample, CI: sample };
    const listed = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
    const files: readonly { readonly file: string; readonly projectName: string }[] = JSON.parse(listed);
    return files.map(({ file, projectName }) => `${projectName} ${file}`).toSorted();
  };
  expect(list('1').length).toBeGreaterThan(200);
  expect(list('2')).toEqual(list('1'));

  // A file that asks chance asks for names of files, or for a seed that it prints.
  const asking = [...tests, 'vitest.config.ts', 'test/whole.ts', 'test/seed.ts', 'scripts/test.mjs'].filter(
    (file) => /Math\.random\(|randomInt\(/.test(read(file)),
  );
  expect(asking.filter((file) => !/docs\/suites\.process/.test(file))).toEqual([]);
});

test('what tests generate is the same every time, and another with another seed', () => {
  const one = (SEED?: string) =>
    execFileSync(process.execPath, ['--import', 'tsx', '-e', sampled], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, SEED },
    });
  const sampled = `import('./test/seeded.ts').then(({ default: fc }) => console.log(fc.sample(fc.integer(), 3)))`;
  expect(one()).toBe(one());
  expect(one('1')).not.toBe(one());
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

test('a suite that fails or is killed stops none of the others, and the table has them all', () => {
  const cwd = directory();
  const tiny = {
    'test:fails': `node -e "console.log('Tests  1 failed | 2 passed (3)'); process.exit(1)"`,
    'test:killed': `node -e "process.kill(process.pid, 'SIGKILL')"`,
    'test:last': `node -e "console.log('the last word')"`,
    'test:whole': `node -e "console.log('Tests  3 passed (3)'); console.log('more')"`,
    'test:all': 'exit 9',
    other: 'exit 9',
  };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: tiny }));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts/test-all.mjs'), ...args], { cwd, encoding: 'utf8' });
  const { status, stdout } = run();
  expect(status).toBe(1);
  const rows = [...stdout.matchAll(/^│ \d+ +│ '(.*?)' +│ '(.*?)' +│ '[\d.]+' +│ '(.*)' +│$/gm)];
  expect(rows.map(([, ...row]) => row)).toEqual([
    ['test:fails', 'FAILED', 'Tests  1 failed | 2 passed (3)'],
    ['test:killed', 'FAILED', expect.any(String)],
    ['test:last', 'passed', 'the last word'],
    ['test:whole', 'passed', 'Tests  3 passed (3)'],
  ]);
  expect(readFileSync(join(cwd, '.tmp/test-all/test-whole.log'), 'utf8')).toContain('more');
  expect(run('test:last').status).toBe(0);
  expect(run('test:none').status).toBe(2);
});

test.skipIf(process.platform === 'win32')('npm test runs all parts, whatever becomes of one', () => {
  // In place of npm, npx and the installation; inside the clone, where tsx is found.
  const cwd = directory(join(root, '.tmp'));
  mkdirSync(join(cwd, 'test/services'), { recursive: true });
  writeFileSync(join(cwd, 'test/services/install-all.ts'), '');
  writeFileSync(join(cwd, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(cwd, 'npx'), '#!/bin/sh\necho "$*"\ncase "$*" in *"$FAILING"*) exit 1; esac\n', {
    mode: 0o755,
  });
  const run = (failing: string, ...args: string[]) => {
    const path = `${cwd}${delimiter}${process.env['PATH']}`;
    const env = { ...process.env, PATH: path, FAILING: failing };
    const script = join(root, 'scripts/test.mjs');
    const { status, stdout } = spawnSync(process.execPath, [script, ...args], { cwd, env, encoding: 'utf8' });
    return { status, lines: stdout.trim().split('\n') };
  };
  const { status, lines } = run('--project auto');
  expect(status).toBe(1);
  expect(lines).toHaveLength(3);
  // They are alone, when the others have ended.
  expect(lines[2]).toBe('vitest run --maxWorkers=3 --project faults');
  expect(run('', 'some.test.ts')).toEqual({ status: 1, lines: ['vitest run some.test.ts'] });
  expect(run('none', 'some.test.ts')).toEqual({ status: 0, lines: ['vitest run some.test.ts'] });
});

test('CONTRIBUTING.md says what each suite does', () => {
  const page = read('CONTRIBUTING.md');
  const named = (name: string) => page.includes(name === 'test' ? 'npm test' : `npm run ${name}`);
  expect(suites.filter((name) => !named(name))).toEqual([]);
});
