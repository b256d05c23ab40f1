import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chosen, whole } from '../whole.js';
import { inProcess, lifesign } from './run.js';

let top: string;
let repository: string;
let marker: string;
let program: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'lifesign-traps-'));
  chmodSync(top, 0o755);
  repository = join(top, 'repository');
  marker = join(top, 'marker');
  program = join(top, 'program');
  writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  cpSync(template, repository, { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

let template: string;
beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), 'lifesign-template-'));
  [top, repository] = [template, template];
  mkdirSync(join(repository, 'sub'));
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('tag', 'v1');
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: top },
  }).trim();
const set = (name: string, value: string) => git('config', name, value);

/** The commit is not there: git would fetch it from the remote that promised it. */
function promise(url: string): void {
  set('core.repositoryFormatVersion', '1');
  set('extensions.partialClone', 'origin');
  set('remote.origin.promisor', 'true');
  set('remote.origin.url', url);
  writeFileSync(join(repository, '.git/HEAD'), '0123456789abcdef0123456789abcdef01234567\n');
}

/** Ways in which a repository names a program that git starts. */
const traps: Record<string, () => void> = {
  'a fetch by ext::': () => {
    for (const kind of ['ext', 'file', 'ssh']) set(`protocol.${kind}.allow`, 'always');
    promise(`ext::${program}`);
  },
  'a fetch from a directory': () => {
    set('remote.origin.uploadpack', program);
    promise(repository);
  },
  'a fetch over ssh': () => {
    set('core.sshCommand', program);
    promise('ssh://127.0.0.1/x');
  },
  'a fetch by a proxy': () => {
    set('core.gitProxy', program);
    promise('git://127.0.0.1/x');
  },
  'a fetch over http that asks for a password': () => {
    set('credential.helper', `!${program}`);
    set('core.askPass', program);
    promise('http://127.0.0.1:1/x');
  },
  'a fetch by a helper': () => {
    set('remote.origin.vcs', 'ext');
    set('protocol.ext.allow', 'always');
    promise(program);
  },
  'a file system monitor': () => {
    set('core.fsmonitor', program);
    set('core.untrackedCache', 'true');
  },
  hooks: () => {
    const hooks = ['post-checkout', 'post-index-change', 'pre-auto-gc', 'reference-transaction', 'update'];
    for (const hook of hooks) symlinkSync(program, join(repository, '.git/hooks', hook));
  },
  'hooks elsewhere': () => {
    mkdirSync(join(repository, 'hooks'));
    symlinkSync(program, join(repository, 'hooks/post-index-change'));
    symlinkSync(program, join(repository, 'hooks/reference-transaction'));
    set('core.hooksPath', join(repository, 'hooks'));
  },
  pagers: () => {
    set('core.pager', program);
    for (const command of ['describe', 'remote', 'rev-parse']) set(`pager.${command}`, program);
  },
  aliases: () => {
    for (const command of ['describe', 'remote', 'rev-parse']) set(`alias.${command}`, `!${program}`);
  },
  'diffs, filters and signatures': () => {
    set('diff.external', program);
    set('filter.x.clean', program);
    set('filter.x.process', program);
    writeFileSync(join(repository, '.gitattributes'), '* filter=x diff=x\n');
    set('gpg.program', program);
    set('log.showSignature', 'true');
    set('tag.gpgSign', 'true');
  },
  'an editor, alternates and submodules': () => {
    set('core.editor', program);
    set('core.alternateRefsCommand', program);
    set('submodule.x.update', `!${program}`);
    set('submodule.recurse', 'true');
  },
  'a working directory elsewhere': () => {
    set('core.worktree', top);
    set('core.fsmonitor', program);
  },
  'an included file': () => {
    const file = join(top, 'included');
    writeFileSync(
      file,
      `[core]\n\tfsmonitor = ${program}\n\tpager = ${program}\n\tsshCommand = ${program}\n`,
    );
    set('include.path', file);
  },
};

const version = (cwd: string, env: Record<string, string> = {}) =>
  inProcess(['version', '--out', '-'], { cwd, env: { HOME: top, ...env } });

describe('no program that a repository names is started', () => {
  test.each(Object.keys(traps))(
    '%s, in a repository of our own, and in one that GIT_DIR names',
    async (name) => {
      traps[name]?.();
      await version(join(repository, 'sub'));
      await version(top, { GIT_DIR: join(repository, '.git') });
      expect(existsSync(marker)).toBe(false);
    },
  );

  test.each(['GIT_SSH_COMMAND', 'GIT_ASKPASS', 'GIT_PAGER', 'GIT_EXTERNAL_DIFF', 'GIT_PROXY_COMMAND'])(
    'nor one that %s names',
    async (variable) => {
      promise('ssh://127.0.0.1/x');
      await version(repository, { [variable]: program });
      expect(existsSync(marker)).toBe(false);
    },
  );

  test('a directory that only looks like a repository is not one', async () => {
    const bare = join(repository, 'sub/bare');
    git('clone', '-q', '--bare', repository, bare);
    git('--git-dir', bare, 'config', 'core.fsmonitor', program);
    const { code, stderr } = await version(bare);
    expect({ code, started: existsSync(marker) }).toEqual({ code: 2, started: false });
    expect(stderr).toContain('git did not answer: cannot use bare repository');
  });
});

describe.skipIf(process.getuid?.() !== 0)('a repository of another owner in a parent directory', () => {
  const giveAway = () => execFileSync('chown', ['-R', '12345', repository]);

  // git refuses the repository before it reads any of them.
  test.each(chosen(Object.keys(traps), 'a file system monitor', 'an included file'))('%s', async (name) => {
    traps[name]?.();
    giveAway();
    const { code, stdout } = await version(join(repository, 'sub'));
    expect({ code, stdout, started: existsSync(marker) }).toEqual({ code: 2, stdout: '', started: false });
  });

  test('says why, and what to type', async () => {
    giveAway();
    const { stderr } = await version(join(repository, 'sub'));
    expect(stderr).toBe(
      'lifesign: No commit found: no CI provider was detected, and git did not answer: detected dubious ' +
        `ownership in repository at '${repository}' To add an exception for this directory, call: ` +
        `git config --global --add safe.directory ${repository}. Set it yourself: lifesign version --set commit=COMMIT. ` +
        'In a Dockerfile write ARG COMMIT and RUN lifesign version --set commit=$COMMIT, and build with ' +
        'docker build --build-arg COMMIT=$(git rev-parse HEAD) . (LIFESIGN_COMMIT_MISSING)\nMore: npx lifesign-cli explain LIFESIGN_COMMIT_MISSING\n',
    );
  });

  test('whoever trusts the owner says so to git: in its configuration or in a variable', async () => {
    giveAway();
    const variables = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: repository,
    };
    expect(JSON.parse((await version(repository, variables)).stdout)).toMatchObject({ version: '1' });
    writeFileSync(join(top, '.gitconfig'), `[safe]\n\tdirectory = ${repository}\n`);
    expect(JSON.parse((await version(repository)).stdout)).toMatchObject({ version: '1' });
  });
});

describe('a git that', () => {
  const fake = (script: string) => {
    const bin = join(top, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: `${bin}:${process.env['PATH']}` };
  };

  // It is given up after ten seconds.
  test.runIf(whole)(
    'never answers, takes no signal and leaves others with its output is given up',
    async () => {
      const env = fake(`trap '' TERM; (sleep 15; touch ${marker}) & while :; do sleep 1; done`);
      expect((await version(repository, env)).stderr).toContain(
        'git did not answer: no answer within 10000 ms',
      );
      expect(existsSync(marker)).toBe(false);
    },
  );

  test('is not there is no trouble', async () => {
    const { code, stderr } = await version(repository, { PATH: top });
    expect([code, stderr]).toEqual([2, expect.stringContaining('no CI provider was detected')]);
    expect(stderr).not.toContain('did not answer');
  });

  test('answers with escapes: none reaches the terminal, and the file has the same data', async () => {
    const env = fake(`printf '\\033[31mv1\\302\\233\\342\\200\\256'`);
    const { stdout, stderr } = await lifesign(['version', '--out', '-', '--set', 'commit=abc'], {
      cwd: repository,
      env: { ...env, HOME: top },
    });
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
    expect(JSON.parse(stdout).version).toBe('\u001B[31mv1\u009B\u202E');
  });
});

test('git asks for nothing', async () => {
  const bin = join(top, 'bin');
  mkdirSync(bin);
  const seen = join(top, 'seen');
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n(echo "$@"; env) >> ${seen}\n`, { mode: 0o755 });
  const PATH = `${bin}:${process.env['PATH']}`;
  await version(repository, { PATH, GIT_ALLOW_PROTOCOL: 'ext', GIT_DIR: repository });
  const text = readFileSync(seen, 'utf8');
  expect(text).not.toMatch(/safe\.directory|ALLOW_PROTOCOL=ext/);
  expect(text).toContain(`GIT_DIR=${repository}`);
  expect(text).toContain('GIT_TERMINAL_PROMPT=0');
});
