import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

function directory(parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, 'lifesign-suites-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

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
