import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { drawnHosts } from '../hosts/drawn.js';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));
const suites = Object.keys(scripts).filter((name) => /^test(?::|$)/.test(name));
const configs = readdirSync(root).filter((name) => /^vitest\.(?:.+\.)?config\.ts$/.test(name));

function directory(parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, 'lifesign-suites-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('npm run test:all runs every suite: only parts of others, itself and the mutations are left out', () => {
  const listed = execFileSync(process.execPath, ['scripts/test-all.mjs', '--list'], {
    cwd: root,
    encoding: 'utf8',
  });
  const run = [...listed.matchAll(/^(.*): \d+ minutes at most$/gm)].map(([, name]) => name);
  expect(run.toSorted()).toEqual(
    suites.filter((name) => !/^test:(?:unit|guest|all|mutation)$/.test(name)).toSorted(),
  );
});

test('each config of vitest belongs to a suite', () => {
  const commands = suites.map((name) => scripts[name]).join('\n') + read('stryker.config.mjs');
  expect(configs.length).toBeGreaterThan(5);
  expect(configs.filter((name) => name !== 'vitest.config.ts' && !commands.includes(name))).toEqual([]);
});

/** A pattern of a config as an expression: `**`, `*` and `{a,b}`. */
function expressionOf(pattern: string): RegExp {
  const parts: Readonly<Record<string, string>> = {
    '**/': '(?:.*/)?',
    '**': '.*',
    '*': '[^/]*',
    '{': '(?:',
    ',': '|',
    '}': ')',
    '.': String.raw`\.`,
  };
  return new RegExp(`^${pattern.replaceAll(/\*\*\/?|[*{},.]/g, (part) => parts[part] ?? part)}$`);
}

interface Config {
  readonly test: { readonly include?: readonly string[]; readonly projects?: readonly Config[] };
}
const patternsOf = ({ test: { include = [], projects = [] } }: Config): readonly string[] => [
  ...include,
  ...projects.flatMap(patternsOf),
];

test('each file with tests belongs to a config', async () => {
  // As if no part was asked for, and apart from the config that this run has loaded.
  vi.stubEnv('PART', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const patterns: string[] = [];
  for (const name of configs) {
    const { default: config }: { default: Config } = await import(`${join(root, name)}?all`);
    patterns.push(...patternsOf(config));
  }
  const expressions = patterns.map(expressionOf);
  const files = ['test', 'cli/test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      // Tests of other runners, which tests of ours run.
      .filter((name) => name.endsWith('.test.ts') && !/node_modules|\/(?:consumers|fixtures)\//.test(name)),
  );
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => !expressions.some((each) => each.test(file)))).toEqual([]);
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
  for (const folder of [...installed, ...drawnHosts.map((host) => `test/hosts/${host}`)]) {
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
    test: `node -e "console.log('Tests  3 passed (3)'); console.log('more')"`,
    'test:fails': `node -e "console.log('Tests  1 failed | 2 passed (3)'); process.exit(1)"`,
    'test:killed': `node -e "process.kill(process.pid, 'SIGKILL')"`,
    'test:last': `node -e "console.log('the last word')"`,
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
    ['test', 'passed', 'Tests  3 passed (3)'],
    ['test:fails', 'FAILED', 'Tests  1 failed | 2 passed (3)'],
    ['test:killed', 'FAILED', expect.any(String)],
    ['test:last', 'passed', 'the last word'],
  ]);
  expect(readFileSync(join(cwd, '.tmp/test-all/test.log'), 'utf8')).toContain('more');
  expect(run('test:last').status).toBe(0);
  expect(run('test:none').status).toBe(2);
});

test.skipIf(process.platform === 'win32')('npm test runs all parts, whatever becomes of one', () => {
  // In place of npm, npx and the installation; inside the clone, where tsx is found.
  const cwd = directory(join(root, '.tmp'));
  mkdirSync(join(cwd, 'test/services'), { recursive: true });
  writeFileSync(join(cwd, 'test/services/install-all.ts'), '');
  writeFileSync(join(cwd, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
  const npx = '#!/bin/sh\necho "$* PART=$PART SAMPLE=$SAMPLE"\ntest "$PART" != "$FAILING"\n';
  writeFileSync(join(cwd, 'npx'), npx, { mode: 0o755 });
  const run = (failing: string, ...args: string[]) => {
    const path = `${cwd}${delimiter}${process.env['PATH']}`;
    const env = { ...process.env, PART: undefined, PATH: path, FAILING: failing, SAMPLE: '7' };
    const script = join(root, 'scripts/test.mjs');
    const { status, stdout } = spawnSync(process.execPath, [script, ...args], { cwd, env, encoding: 'utf8' });
    return { status, lines: stdout.trim().split('\n').toSorted() };
  };
  const all = ['computing', 'faults', 'waiting'].map((part) => `vitest run PART=${part} SAMPLE=7`);
  expect(run('waiting')).toEqual({ status: 1, lines: all });
  expect(run('', 'some.test.ts')).toEqual({ status: 1, lines: ['vitest run some.test.ts PART= SAMPLE=7'] });
});

test('CONTRIBUTING.md says what each suite does', () => {
  const page = read('CONTRIBUTING.md');
  const named = (name: string) => page.includes(name === 'test' ? 'npm test' : `npm run ${name}`);
  expect(suites.filter((name) => !named(name))).toEqual([]);
});
