import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess as lifesign } from '../../test/command/run.js';
import { inProcess, lifesignCli } from './run.js';

const root = join(import.meta.dirname, '../..');
const help = await inProcess(['--help']);
const commands = Array.from(help.stdout.matchAll(/^ {2}([a-z]+) /gm), ([, name = '']) => name);

describe('--help', () => {
  test.each([[], ...commands.map((name) => [name])])('%j fits a screen of 80 columns', async (...command) => {
    const { code, stdout, stderr } = await inProcess([...command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: lifesign-cli /);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(36);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).not.toContain('\u001B');
  });

  test('is that of the command, of -h and help, and comes for nothing at all', async () => {
    expect(await lifesignCli(['--help'])).toEqual(help);
    for (const arg of ['-h', 'help']) expect(await inProcess([arg])).toEqual(help);
    expect(await inProcess([])).toEqual({ code: 2, stdout: '', stderr: help.stdout });
  });

  test('lifesign names the same commands', async () => {
    const { stdout } = await lifesign(['--help']);
    expect(/npx lifesign-cli (.*)/.exec(stdout)?.[1]?.split(' | ').toSorted()).toEqual(commands.toSorted());
  });
});

test('both packages have one version', async () => {
  const [own, runtime] = ['cli/package.json', 'package.json'].map(
    (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).version,
  );
  expect(own).toBe(runtime);
  expect((await lifesignCli(['--version'])).stdout).toBe(`${own}\n`);
});

test.each(['nope', 'toString', '__proto__'])('an unknown command: %s', async (name) => {
  expect(await inProcess([name])).toEqual({
    code: 2,
    stdout: '',
    stderr: `lifesign-cli: Unknown command "${name}". See lifesign-cli --help. (LIFESIGN_USAGE)\n`,
  });
});

test.each(['probe', 'version'])('%s belongs to the other package', async (name) => {
  expect(await inProcess([name, '--help'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `lifesign-cli: ${name} is a command of lifesign: write npx lifesign ${name}. See lifesign-cli --help. (LIFESIGN_USAGE)\n`,
  });
});

test.each([
  [['verfy', 'http://a'], 'Unknown command "verfy"; did you mean verify?'],
  [['wait', 'http://a', '--tiemout', '3s'], "Unknown option '--tiemout'; did you mean --timeout?"],
  [['doctor', '--strickt'], "Unknown option '--strickt'; did you mean --strict?"],
])('%j gets a hint', async (args, hint) => {
  const { code, stderr } = await inProcess(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test('help wait is wait --help', async () => {
  const [one, other] = [await inProcess(['help', 'wait']), await inProcess(['wait', '--help'])];
  expect(one).toEqual(other);
  expect(one.code).toBe(0);
});
