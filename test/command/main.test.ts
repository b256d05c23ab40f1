import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

test('help probe is probe --help, although the probe loads no other command', async () => {
  expect(await lifesign(['help', 'probe'])).toEqual(await lifesign(['probe', '--help']));
});

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect((await lifesign(['--version'])).stdout).toBe(`${version}\n`);
});

test.each(['nope', 'toString', 'constructor'])('an unknown command: %s', async (name) => {
  expect(await inProcess([name])).toEqual({
    code: 2,
    stdout: '',
    stderr: `lifesign: Unknown command "${name}". See lifesign --help. (LIFESIGN_USAGE)\n`,
  });
});

test('a command of lifesign-cli: the line to write instead', async () => {
  expect(await inProcess(['doctor', '--header', 'Authorization: Bearer secret'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'lifesign: doctor is a command of lifesign-cli: write npx lifesign-cli doctor. See lifesign --help. (LIFESIGN_USAGE)\n',
  });
});
