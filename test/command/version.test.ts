import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inProcess } from './run.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-version-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

function repository(): string {
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return git('rev-parse', 'HEAD');
}

const written = (file = 'version.json') => JSON.parse(readFileSync(join(cwd, file), 'utf8'));
const sha = '0123456789abcdef0123456789abcdef01234567';

test('from git: commit, exact tag, origin without the token that CI put there', async () => {
  const commit = repository();
  git('tag', 'v1.2.3');
  git('remote', 'add', 'origin', 'https://x-access-token:ghs_secret@github.com/acme/app.git');
  const { code, stdout, stderr } = await inProcess(['version'], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(written()).toEqual({ commit, version: '1.2.3', source: 'https://github.com/acme/app' });
  expect(stderr).toBe(
    `wrote version.json: 1.2.3 ${commit.slice(0, 12)} (from git)\nbuild was not found; set it with --set build=VALUE\n`,
  );
  expect(readdirSync(cwd)).toEqual(['.git', 'version.json']);
});

test('without a tag the version is that of package.json', async () => {
  repository();
  writeFileSync(join(cwd, 'package.json'), '{"version":"4.5.6"}');
  await inProcess(['version'], { cwd });
  expect(written()).toMatchObject({ version: '4.5.6' });
});

test('one version from every source: the v of a tag is left out, and of nothing else', async () => {
  repository();
  writeFileSync(join(cwd, 'package.json'), '{"version":"v1.2.3"}');
  for (const [tag, version] of [
    ['v1.2.3', '1.2.3'],
    ['V1.2.3-rc.1', '1.2.3-rc.1'],
    ['1.2.3', '1.2.3'],
    ['v', 'v'],
    ['vienna', 'vienna'],
    ['vv1', 'vv1'],
    ['release-v1', 'release-v1'],
    ['app@v1.2.3', 'app@v1.2.3'],
  ] as const) {
    git('tag', tag);
    await inProcess(['version', '--out', 'git.json'], { cwd });
    const ci = [
      { GITHUB_ACTIONS: 'true', GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: tag },
      { GITLAB_CI: 'true', CI_COMMIT_TAG: tag },
    ];
    for (const env of ci) {
      await inProcess(['version'], { cwd, env });
      expect([tag, written().version]).toEqual([tag, version]);
    }
    expect([tag, written('git.json').version]).toEqual([tag, version]);
    git('tag', '-d', tag);
  }
  await inProcess(['version'], { cwd });
  expect(written().version).toBe('1.2.3');
  await inProcess(['version', '--set', 'version=v1.2.3'], { cwd });
  expect(written().version).toBe('v1.2.3');
});

test('--out FILE, --out - and --set, in the order of the contract', async () => {
  const args = ['version', '--set', 'a=b=c', '--set', `commit=${sha}`, '--set', 'version='];
  await inProcess([...args, '--out', 'v.json'], { cwd });
  expect(readFileSync(join(cwd, 'v.json'), 'utf8')).toBe(`{\n  "commit": "${sha}",\n  "a": "b=c"\n}\n`);
  const { stdout } = await inProcess([...args, '--out', '-'], { cwd });
  expect(JSON.parse(stdout)).toEqual({ commit: sha, a: 'b=c' });
});

test('nothing to be found: a clear error, exit code 2, no file', async () => {
  const { code, stderr } = await inProcess(['version'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('No commit found: no CI provider was detected');
  expect(stderr).toContain('--set commit=');
  expect(readdirSync(cwd)).toEqual([]);
});

test.each(['x', '=x'])('--set %s is refused', async (text) => {
  const { code, stderr } = await inProcess(['version', '--set', text], { cwd });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `lifesign: --set takes KEY=VALUE, not "${text}". See lifesign version --help. (LIFESIGN_USAGE)\n`,
  });
});

describe('CI providers', () => {
  const cases: Record<string, [env: Record<string, string>, expected: Record<string, string>]> = {
    'GitHub Actions': [
      {
        GITHUB_ACTIONS: 'true',
        GITHUB_SHA: sha,
        GITHUB_REF_TYPE: 'tag',
        GITHUB_REF_NAME: 'v2',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'acme/app',
        GITHUB_RUN_ID: '42',
      },
      {
        commit: sha,
        version: '2',
        source: 'https://github.com/acme/app',
        build: 'https://github.com/acme/app/actions/runs/42',
      },
    ],
    'GitLab CI': [
      {
        GITLAB_CI: 'true',
        CI_COMMIT_SHA: sha,
        CI_COMMIT_TAG: 'v2',
        CI_PROJECT_URL: 'https://gitlab.com/acme/app',
        CI_JOB_URL: 'https://gitlab.com/acme/app/-/jobs/7',
      },
      {
        commit: sha,
        version: '2',
        source: 'https://gitlab.com/acme/app',
        build: 'https://gitlab.com/acme/app/-/jobs/7',
      },
    ],
    Jenkins: [
      {
        JENKINS_URL: 'https://ci.acme.dev/',
        GIT_COMMIT: sha,
        TAG_NAME: 'v2',
        GIT_URL: 'https://bot:secret@git.acme.dev/app.git',
        BUILD_URL: 'https://ci.acme.dev/job/app/3/',
      },
      {
        commit: sha,
        version: '2',
        source: 'https://git.acme.dev/app',
        build: 'https://ci.acme.dev/job/app/3',
      },
    ],
  };

  test.each(Object.entries(cases))('%s', async (name, [env, expected]) => {
    repository();
    const { stderr } = await inProcess(['version'], { cwd, env });
    expect(written()).toEqual(expected);
    expect(stderr).toBe(`wrote version.json: 2 ${sha.slice(0, 12)} (from ${name})\n`);
  });
});
