import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { copyFiles, projectWith } from './project.js';

const run = promisify(execFile);
const packages = [
  'jest@30.5.2',
  'ts-jest@29.4.15',
  '@types/jest@30',
  '@types/node@20.19.43',
  'typescript@5.9.3',
  'express@5.3.0',
  '@swc/jest@0.2.39',
  '@swc/core@1.16.22',
  '@babel/core@7',
  '@babel/preset-env@7',
  '@babel/preset-typescript@7',
  'mocha@11',
];
const cwd = (await projectWith('jest', packages, inject('tarball'))) ?? '';
if (cwd !== '') {
  await copyFiles('jest', cwd);
  await copyFile(join(cwd, 'health.test.js'), join(cwd, 'again.test.js'));
}

interface Result {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly openHandles: readonly unknown[];
  readonly testResults: readonly { readonly message: string }[];
}

/** Runs Jest; what it says is in a file, since standard output has the log lines as well. */
async function jest(config: object, args: readonly string[], nodeOptions = ''): Promise<Result> {
  const name = randomUUID();
  const output = join(cwd, `${name}.result.json`);
  await writeFile(join(cwd, `${name}.config.json`), JSON.stringify({ rootDir: '.', ...config }));
  const all = ['node_modules/jest/bin/jest.js', '--ci', '-i', '--json', `--outputFile=${output}`];
  // Where Jest fails, its result says why.
  await run(process.execPath, [...all, '-c', `${name}.config.json`, ...args], {
    cwd,
    env: { ...process.env, CI: 'true', NODE_OPTIONS: nodeOptions },
  }).catch(() => {});
  return (await import(output, { with: { type: 'json' } })).default;
}

function expectPassed(result: Result, tests: number): void {
  expect(result.testResults.map(({ message }) => message).filter(Boolean)).toEqual([]);
  expect(result.success).toBe(true);
  expect(result.numPassedTests).toBe(tests);
}

describe.skipIf(cwd === '')('Jest', () => {
  test('its default configuration: each test file has a state of its own, nothing is left open', async () => {
    const result = await jest({}, ['health.test.js', 'again.test.js', 'page.test.js', '--detectOpenHandles']);
    expectPassed(result, 3);
    expect(result.openHandles).toEqual([]);
  });

  test('lines of requests are on standard output, without the stack that its console prints', async () => {
    expectPassed(await jest({}, ['lines.test.js']), 1);
  });

  test('what a test file made goes with it', async () => {
    expectPassed(await jest({}, ['leak.test.js', '--detectLeaks']), 1);
  });

  test('ES modules and CommonJS side by side', async () => {
    const config = { testRegex: 'both\\.test\\.mjs$', transform: {} };
    expectPassed(await jest(config, [], '--experimental-vm-modules'), 1);
  });

  const presets = [['@babel/preset-env', { targets: { node: 'current' } }], '@babel/preset-typescript'];
  const node10 = { module: 'commonjs', moduleResolution: 'node10', target: 'es2022', strict: true };
  const nodenext = { module: 'nodenext', target: 'es2022', strict: true, isolatedModules: true };
  const transformers = {
    'ts-jest with node10': ['ts-jest', { tsconfig: node10 }],
    'ts-jest with nodenext': ['ts-jest', { tsconfig: nodenext }],
    SWC: ['@swc/jest', {}],
    Babel: ['babel-jest', { presets }],
  } as const;
  test.each(Object.entries(transformers))('%s', async (_name, [transformer, options]) => {
    const config = { testRegex: 'typed\\.test\\.ts$', transform: { '\\.ts$': [transformer, options] } };
    expectPassed(await jest(config, []), 1);
  });
});

describe.skipIf(cwd === '')('other runners', () => {
  const prepare = `globalThis.expect = require('expect').expect; globalThis.it ??= require('node:test').it;`;

  const runners = {
    'node:test': ['--test-reporter=tap', '--require', './prepare.cjs', '--test', 'health.test.js'],
    Mocha: ['node_modules/mocha/bin/mocha.js', '--require', './prepare.cjs', 'health.test.js'],
  };
  test.each(Object.entries(runners))('%s', async (name, args) => {
    await writeFile(join(cwd, 'prepare.cjs'), name === 'Mocha' ? prepare.split(';', 1).join() : prepare);
    const { stdout } = await run(process.execPath, args, { cwd });
    expect(stdout).toMatch(/1 passing|# pass 1/);
  });
});
