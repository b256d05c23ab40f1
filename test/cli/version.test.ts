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
  expect(written()).toEqual({ commit, version: 'v1.2.3', source: 'https://github.com/acme/app' });
  expect(stderr).toBe(
    `wrote version.json: v1.2.3 ${commit.slice(0, 12)} (from git)\nbuild was not found; give it with --set build=VALUE\n`,
  );
  expect(readdirSync(cwd)).toEqual(['.git', 'version.json']);
});

test('without a tag the version is that of package.json', async () => {
  repository();
  writeFileSync(join(cwd, 'package.json'), '{"version":"4.5.6"}');
  await inProcess(['version'], { cwd });
  expect(written()).toMatchObject({ version: '4.5.6' });
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
  expect(stderr).toContain('No commit can be found: no CI provider was recognised');
  expect(stderr).toContain('--set commit=');
  expect(readdirSync(cwd)).toEqual([]);
});

test('a build argument that nobody gave is the same clear error', async () => {
  const { code, stderr } = await inProcess(['version', '--set', 'commit='], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('No commit can be found');
});

test('a directory that is not there', async () => {
  const { code, stderr } = await inProcess(['version', '--set', 'commit=a', '--out', 'no/v.json'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('no/v.json cannot be written');
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
        version: 'v2',
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
        version: 'v2',
        source: 'https://gitlab.com/acme/app',
        build: 'https://gitlab.com/acme/app/-/jobs/7',
      },
    ],
    CircleCI: [
      {
        CIRCLECI: 'true',
        CIRCLE_SHA1: sha,
        CIRCLE_TAG: 'v2',
        CIRCLE_REPOSITORY_URL: 'git@github.com:acme/app.git',
        CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/app/9',
      },
      {
        commit: sha,
        version: 'v2',
        source: 'https://github.com/acme/app',
        build: 'https://circleci.com/gh/acme/app/9',
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
        version: 'v2',
        source: 'https://git.acme.dev/app',
        build: 'https://ci.acme.dev/job/app/3',
      },
    ],
    Buildkite: [
      {
        BUILDKITE: 'true',
        BUILDKITE_COMMIT: sha,
        BUILDKITE_TAG: 'v2',
        BUILDKITE_REPO: 'ssh://git@github.com/acme/app.git',
        BUILDKITE_BUILD_URL: 'https://buildkite.com/acme/app/builds/5',
        BUILDKITE_JOB_ID: 'ab-cd',
      },
      {
        commit: sha,
        version: 'v2',
        source: 'https://github.com/acme/app',
        build: 'https://buildkite.com/acme/app/builds/5#ab-cd',
      },
    ],
    'Azure Pipelines': [
      {
        TF_BUILD: 'True',
        BUILD_SOURCEVERSION: sha,
        BUILD_SOURCEBRANCH: 'refs/tags/v2',
        BUILD_REPOSITORY_URI: 'https://acme@dev.azure.com/acme/shop/_git/app',
        SYSTEM_TEAMFOUNDATIONCOLLECTIONURI: 'https://dev.azure.com/acme/',
        SYSTEM_TEAMPROJECT: 'web shop',
        BUILD_BUILDID: '8',
      },
      {
        commit: sha,
        version: 'v2',
        source: 'https://dev.azure.com/acme/shop/_git/app',
        build: 'https://dev.azure.com/acme/web%20shop/_build/results?buildId=8',
      },
    ],
    'Bitbucket Pipelines': [
      {
        BITBUCKET_BUILD_NUMBER: '6',
        BITBUCKET_COMMIT: sha,
        BITBUCKET_TAG: 'v2',
        BITBUCKET_REPO_FULL_NAME: 'acme/app',
      },
      {
        commit: sha,
        version: 'v2',
        source: 'https://bitbucket.org/acme/app',
        build: 'https://bitbucket.org/acme/app/pipelines/results/6',
      },
    ],
    'Google Cloud Build': [
      {
        PROJECT_ID: 'acme',
        BUILD_ID: 'f00',
        LOCATION: 'europe-west1',
        COMMIT_SHA: sha,
        TAG_NAME: 'v2',
        REPO_FULL_NAME: 'acme/app',
      },
      {
        commit: sha,
        version: 'v2',
        source: 'https://github.com/acme/app',
        build: 'https://console.cloud.google.com/cloud-build/builds;region=europe-west1/f00?project=acme',
      },
    ],
  };

  test.each(Object.entries(cases))('%s', async (name, [env, expected]) => {
    repository();
    const { stderr } = await inProcess(['version'], { cwd, env });
    expect(written()).toEqual(expected);
    expect(stderr).toBe(`wrote version.json: v2 ${sha.slice(0, 12)} (from ${name})\n`);
  });

  test.each(Object.entries(cases))(
    '%s with its mark alone falls back to git, no half URLs',
    async (_, [env]) => {
      const commit = repository();
      const mark = Object.fromEntries(Object.entries(env).slice(0, 1));
      await inProcess(['version'], { cwd, env: mark });
      expect(written()).toEqual({ commit });
    },
  );

  test('a Buildkite build of "HEAD" takes the commit from git', async () => {
    const commit = repository();
    await inProcess(['version'], { cwd, env: { BUILDKITE: 'true', BUILDKITE_COMMIT: 'HEAD' } });
    expect(written()).toEqual({ commit });
  });
});
