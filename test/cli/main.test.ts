import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess, lifesign } from './run.js';

const root = join(import.meta.dirname, '../..');

describe('--help', () => {
  test.each([[], ['version'], ['probe'], ['verify'], ['serve'], ['fleet'], ['explain']])(
    '%j fits a screen of 24 lines and 80 columns',
    async (...command) => {
      const { code, stdout, stderr } = await lifesign([...command, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: lifesign /);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(stdout).not.toContain('\u001B');
    },
  );

  test('names every command', async () => {
    const { stdout } = await lifesign(['--help']);
    for (const command of ['version', 'probe', 'verify', 'serve', 'fleet', 'explain']) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
  });
});

test.each(['--help', '-h', 'help'])('%s in this process: what the command prints', async (arg) => {
  const { stdout } = await lifesign(['--help']);
  expect(await inProcess([arg])).toEqual({ code: 0, stdout, stderr: '' });
  expect(await inProcess([])).toEqual({ code: 2, stdout: '', stderr: stdout });
});

test('without a command: the help on standard error, exit code 2', async () => {
  const { code, stdout, stderr } = await lifesign([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Usage: lifesign COMMAND/);
});

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect((await lifesign(['--version'])).stdout).toBe(`${version}\n`);
  expect((await inProcess(['--version'])).stdout).toBe(`${version}\n`);
});

test.each(['nope', 'toString', '__proto__'])('an unknown command: %s', async (name) => {
  expect(await inProcess([name])).toEqual({
    code: 2,
    stdout: '',
    stderr: `lifesign: Unknown command "${name}". See lifesign --help. (LIFESIGN_USAGE)\n`,
  });
});

test('a command loads no other command', () => {
  const source = readFileSync(join(root, 'src/cli/main.ts'), 'utf8');
  expect(source).not.toMatch(/^import .* from '\.\/(version|verify|serve)\//m);
});
