import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

const run = promisify(execFile);
const cwd = inject('consumer');
const tsc = join('node_modules', 'typescript', 'bin', 'tsc');

const output = `true
500 {"status":"warning","checks":{"storage":"warning"},"details":{"storage":{"status":"warning","level":30,"messages":{"acme.W001":"Slow"}}}}
`;

async function node(script: string): Promise<void> {
  const { stdout, stderr } = await run(process.execPath, [script], { cwd });
  expect(stdout).toBe(output);
  expect(stderr).toBe('');
}

test('an ES module imports the package', () => node('esm.mjs'));

test('a CommonJS module requires the package', () => node('commonjs.cjs'));

test('TypeScript with a bundler compiles and runs', async () => {
  await run(process.execPath, [tsc, '-p', 'tsconfig.bundler.json'], { cwd });
  await node('out/bundler/typed.mjs');
});

test('strict TypeScript under nodenext compiles, our declarations checked too, and runs', async () => {
  await run(process.execPath, [tsc, '-p', 'tsconfig.nodenext.json'], { cwd });
  await node('out/nodenext/typed.mjs');
});
