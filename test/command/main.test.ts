import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { inProcess, lifesign } from './run.js';

const root = join(import.meta.dirname, '../..');

describe('--help', () => {
  test.each([[], ['version'], ['probe']])(
    '%j fits a screen of 24 lines and 80 columns',
    async (...command) => {
      const { code, stdout, stderr } = await lifesign([...command, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: lifesign /);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  test('in this process: what the command prints', async () => {
    const { stdout } = await lifesign(['--help']);
    expect(await inProcess(['--help'])).toEqual({ code: 0, stdout, stderr: '' });
    expect(await inProcess([])).toEqual({ code: 2, stdout: '', stderr: stdout });
  });
});

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect((await lifesign(['--version'])).stdout).toBe(`${version}\n`);
});

test.each(['nope', 'toString', '__proto__'])('an unknown command: %s', async (name) => {
  expect(await inProcess([name])).toEqual({
    code: 2,
    stdout: '',
    stderr: `lifesign: Unknown command "${name}". See lifesign --help. (LIFESIGN_USAGE)\n`,
  });
});

describe('a command of lifesign-cli', () => {
  test('that is not installed: the line to write instead', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'lifesign-alone-'));
    expect(await lifesign(['doctor', '--header', 'Authorization: Bearer secret'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'lifesign: doctor is a command of lifesign-cli, which is not installed here: write npx lifesign-cli doctor. See lifesign --help. (LIFESIGN_USAGE)\n',
    });
    rmSync(cwd, { recursive: true });
  });

  test('that is installed in the project: it runs, with its output and its exit code', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'lifesign-beside-'));
    mkdirSync(join(cwd, 'node_modules'));
    symlinkSync(inject('builtCli'), join(cwd, 'node_modules/lifesign-cli'));
    writeFileSync(join(cwd, 'Dockerfile'), 'FROM node:22\nCMD npm start\n');
    const explained = await lifesign(['explain', 'E001'], { cwd });
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(explained.stdout).toContain('health.E001');
    expect(await lifesign(['doctor', 'Dockerfile'], { cwd })).toMatchObject({ code: 1, stderr: '' });
    expect(await lifesign(['doctor', '--nope'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('See lifesign-cli doctor --help. (LIFESIGN_USAGE)'),
    });
    rmSync(cwd, { recursive: true });
  });
});
