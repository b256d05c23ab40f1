import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { copyFiles, projectWith } from './project.js';

const run = promisify(execFile);
const versions = ['5.0.4', '5.2.2', '5.4.5', '5.7.3', '5.9.3', '6.0.3', '7.0.2'];
const packages = [
  'express@5.3.0',
  '@types/express@5.0.6',
  '@types/node@20.19.43',
  'fastify@5.12.8',
  'hono@4.13.17',
  'koa@3.2.1',
  '@types/koa@3.0.3',
  '@nestjs/common@11',
  '@nestjs/core@11',
  'rxjs@7',
  'reflect-metadata@0.2.2',
  'tsx@4.23.15',
  '@swc/core@1.16.22',
  '@babel/core@7',
  '@babel/preset-typescript@7',
  '@babel/plugin-proposal-decorators@7',
  ...versions.map((version) => `typescript-${version}@npm:typescript@${version}`),
];
const cwd = (await projectWith('typescript', packages, inject('tarball'))) ?? '';
if (cwd !== '') {
  await copyFiles('types', cwd);
  for (const ending of ['cts', 'mts']) await copyFile(join(cwd, 'all.ts'), join(cwd, `all.${ending}`));
}

const common = ['--target', 'es2022', '--lib', 'es2022', '--types', 'node', '--strict'];

async function tsc(version: string, ...args: readonly string[]): Promise<string> {
  const compiler = join(cwd, `node_modules/typescript-${version}/bin/tsc`);
  const { stdout } = await run(process.execPath, [compiler, ...common, ...args], { cwd }).catch(
    (failed) => failed,
  );
  // Declarations of others may not suit every compiler.
  return stdout
    .split('\n')
    .filter((line: string) => /^node_modules\/lifesign\/|^(?:all|app|plugin|error)/.test(line))
    .join('\n');
}

/** The resolutions with the kinds of file that each is used for. */
const resolutions: readonly (readonly [name: string, files: readonly string[], module: readonly string[]])[] =
  [
    ['node10', ['all.ts'], ['commonjs', '--moduleResolution', 'node', '--esModuleInterop']],
    ['node16', ['all.cts', 'all.mts'], ['node16', '--moduleResolution', 'node16']],
    ['nodenext', ['all.cts', 'all.mts'], ['nodenext']],
    ['bundler', ['all.ts'], ['esnext', '--moduleResolution', 'bundler']],
  ];

describe.skipIf(cwd === '').each(versions)('TypeScript %s', (version) => {
  // It is gone from TypeScript 7.
  const known = resolutions.filter(([name]) => name !== 'node10' || Number(version.slice(0, 1)) < 7);
  test.each(known)('%s', async (name, files, module) => {
    const deprecated = name === 'node10' && version.startsWith('6.') ? ['--ignoreDeprecations', '6.0'] : [];
    // Our declarations are checked too; once a version, for those of others take their time.
    const lax = name === 'nodenext' ? [] : ['--skipLibCheck'];
    expect(await tsc(version, '--noEmit', '--module', ...module, ...lax, ...deprecated, ...files)).toBe('');
  });

  test('an ES module with a CommonJS plugin: types of one form suit the other, and decorators run', async () => {
    const out = join(cwd, `out-${version}`);
    const args = ['--module', 'node16', '--moduleResolution', 'node16', '--skipLibCheck', '--outDir', out];
    expect(await tsc(version, ...args, 'app.mts', 'plugin.cts')).toBe('');
    await expectApp(join(out, 'app.mjs'));
  });
});

const output = 'lifesign true disk info,storage warning,bare info,named info\n';

/** Runs the application; what it requires is the one copy that it imports. */
async function expectApp(...args: readonly string[]): Promise<void> {
  expect(await outputOf(...args)).toBe(output);
}

const outputOf = async (...args: readonly string[]) => (await run(process.execPath, args, { cwd })).stdout;

describe.skipIf(cwd === '')('other compilers of decorators', () => {
  const plugin = `import { createRequire } from 'node:module';
const { checks } = createRequire(import.meta.url)('lifesign/fetch');
export const addDiskCheck = (health) => health.check('disk', () => [new checks.Info('Half full', { id: 'plugin.I001' })]);
export const nameOf = (health) => health.options.loggerName;
export const warning = new checks.Warning('Slow', { id: 'plugin.W001' });`;
  const babel = `const { transformFileSync } = require('@babel/core');
const { code } = transformFileSync('app.mts', { configFile: false, presets: ['@babel/preset-typescript'],
  plugins: [['@babel/plugin-proposal-decorators', { version: '2023-11' }]] });`;
  const swc = `const { transformFileSync } = require('@swc/core');
const { code } = transformFileSync('app.mts', { swcrc: false, jsc: { target: 'es2022',
  parser: { syntax: 'typescript', decorators: true }, transform: { decoratorVersion: '2022-03' } } });`;

  test.each([
    ['Babel 2023-11', babel],
    ['SWC', swc],
  ] as const)('%s', async (name, compile) => {
    const file = `${name.slice(0, 3)}.mjs`;
    await writeFile(join(cwd, 'plugin.mjs'), plugin);
    const write = `require('node:fs').writeFileSync('${file}', code.replace('./plugin.cjs', './plugin.mjs'));`;
    await writeFile(join(cwd, 'compile.cjs'), `${compile}\n${write}`);
    await run(process.execPath, ['compile.cjs'], { cwd });
    await expectApp(file);
  });

  test('tsx', async () => {
    // Node 20 cannot require an ES module from a .cts file there: docs/troubleshooting.md says so.
    await writeFile(join(cwd, 'plugin.mjs'), plugin);
    const app = await readFile(join(cwd, 'app.mts'), 'utf8');
    await writeFile(join(cwd, 'tsx.mts'), app.replace('./plugin.cjs', './plugin.mjs'));
    // Its `require` takes the other form of the package, whose messages are no instances of ours; checks may return them.
    expect(await outputOf('--import', 'tsx', 'tsx.mts')).toBe(output.replace('true', 'false'));
  });
});
