import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { summaries } from '../../cli/src/commands.js';
import { summaries as runtimeSummaries } from '../../src/command/commands.js';
import { inProcess } from '../../cli/test/run.js';
import { has } from './tools.js';

// Real shells complete here; what they would complete for a user.
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'lifesign-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(join(home, shell), (await inProcess(['completion', shell])).stdout);
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (shell: string, script: string) =>
  execFileSync(shell, ['-c', script], {
    encoding: 'utf8',
    env: { HOME: home, PATH: process.env['PATH'], TERM: 'dumb' },
  })
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[0]);

describe('bash', () => {
  const complete = (...words: string[]) =>
    run(
      'bash',
      `. ${home}/bash; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _lifesign; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  test('commands', () => {
    const names = (all: typeof summaries) => [...all.map(([name]) => name), '--help', '--version'];
    expect(complete('lifesign-cli', '')).toEqual(names(summaries));
    expect(complete('lifesign', '')).toEqual(names(runtimeSummaries));
    expect(complete('/usr/bin/lifesign-cli', 've')).toEqual(['verify']);
  });
  test('options of a command, those of the probe too', () => {
    expect(complete('lifesign-cli', 'wait', '--he')).toEqual(['--healthy', '--header', '--help']);
    expect(complete('lifesign', 'probe', '--s')).toEqual(['--socket']);
  });
});

describe.skipIf(!has('shells'))('fish', () => {
  const complete = (line: string) => run('fish', `source ${home}/fish; complete -C '${line}'`);
  test('commands', () => {
    expect(complete('lifesign-cli ver')).toEqual(['verify']);
    expect(complete('lifesign ver')).toEqual(['version']);
  });
  test('options', () =>
    expect(complete('lifesign-cli wait --he').toSorted()).toEqual(['--header', '--healthy', '--help']));
});

describe.skipIf(!has('shells'))('zsh', () => {
  test('the script is read, and gives the function its name', () => {
    const script = `autoload -Uz compinit && compinit -u -d ${home}/dump; source ${home}/zsh; print $_comps[lifesign] $_comps[lifesign-cli]`;
    expect(run('zsh', script)).toEqual(['_lifesign _lifesign']);
  });
});

test.each([[[]], [['tcsh']], [['bash', 'zsh']]])('misuse: %j', async (args) => {
  const { code, stderr } = await inProcess(['completion', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Name a shell: bash, zsh, fish')]);
});

test.each([...summaries, ...runtimeSummaries].map(([name]) => name).filter((name) => name !== 'completion'))(
  'every option that %s takes is in its help, and so completed',
  async (name) => {
    const file = name === 'probe' ? 'bin.cts' : `${name}/command.ts`;
    const folder = runtimeSummaries.some(([own]) => own === name) ? 'src/command' : 'cli/src';
    const source = readFileSync(join(import.meta.dirname, '../..', folder, file), 'utf8');
    const taken = [...source.matchAll(/(?<=^ +|[{,] )'?([a-z-]+)'?: \{ type: '(?:string|boolean)'/gm)].map(
      ([, option]) => `--${option}`,
    );
    expect(taken).not.toEqual([]);
    const { stdout } = await inProcess(['completion', 'bash']);
    const [, words = ''] = new RegExp(`^ +${name}\\) words="(.*)"`, 'm').exec(stdout) ?? [];
    expect(words.split(' ')).toEqual(expect.arrayContaining(taken));
  },
);
