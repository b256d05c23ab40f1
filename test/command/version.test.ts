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
      { TF_BUILD: 'True', BUILD_SOURCEBRANCH: `refs/tags/${tag}` },
      { CODEBUILD_BUILD_ARN: 'arn', CODEBUILD_WEBHOOK_TRIGGER: `tag/${tag}` },
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
        version: '2',
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
        version: '2',
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
        version: '2',
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
        version: '2',
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
        version: '2',
        source: 'https://bitbucket.org/acme/app',
        build: 'https://bitbucket.org/acme/app/pipelines/results/6',
      },
    ],
    'AWS CodeBuild': [
      {
        CODEBUILD_BUILD_ARN: 'arn:aws:codebuild:eu-west-1:1:build/app:f0-0d',
        CODEBUILD_RESOLVED_SOURCE_VERSION: sha,
        CODEBUILD_WEBHOOK_TRIGGER: 'tag/v2',
        CODEBUILD_SOURCE_REPO_URL: 'https://github.com/acme/app.git',
        CODEBUILD_BUILD_ID: 'app:f0-0d',
        CODEBUILD_BUILD_URL:
          'https://eu-west-1.console.aws.amazon.com/codebuild/home?region=eu-west-1#/builds/app:f0-0d/view/new',
        AWS_REGION: 'eu-west-1',
      },
      {
        commit: sha,
        version: '2',
        source: 'https://github.com/acme/app',
        build:
          'https://eu-west-1.console.aws.amazon.com/codebuild/home?region=eu-west-1#/builds/app%3Af0-0d/view/new',
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
        version: '2',
        source: 'https://github.com/acme/app',
        build: 'https://console.cloud.google.com/cloud-build/builds;region=europe-west1/f00?project=acme',
      },
    ],
  };

  test.each(Object.entries(cases))('%s', async (name, [env, expected]) => {
    repository();
    const { stderr } = await inProcess(['version'], { cwd, env });
    expect(written()).toEqual(expected);
    expect(stderr).toBe(`wrote version.json: 2 ${sha.slice(0, 12)} (from ${name})\n`);
  });

  const platforms: Record<string, [env: Record<string, string>, expected: Record<string, string>]> = {
    Vercel: [
      {
        VERCEL: '1',
        VERCEL_GIT_COMMIT_SHA: sha,
        VERCEL_GIT_PROVIDER: 'gitlab',
        VERCEL_GIT_REPO_OWNER: 'acme',
        VERCEL_GIT_REPO_SLUG: 'app',
        VERCEL_URL: 'app-7q03y4pi5.vercel.app',
      },
      {
        commit: sha,
        source: 'https://gitlab.com/acme/app',
        build: 'https://app-7q03y4pi5.vercel.app/_logs',
      },
    ],
    Netlify: [
      {
        NETLIFY: 'true',
        COMMIT_REF: sha,
        REPOSITORY_URL: 'https://x-access-token:v1.s3cret@github.com/acme/app',
        SITE_NAME: 'acme-app',
        DEPLOY_ID: '5d4aeac2',
      },
      {
        commit: sha,
        source: 'https://github.com/acme/app',
        build: 'https://app.netlify.com/sites/acme-app/deploys/5d4aeac2',
      },
    ],
    Render: [{ RENDER: 'true', RENDER_GIT_COMMIT: sha, RENDER_GIT_REPO_SLUG: 'acme/app' }, { commit: sha }],
    Railway: [
      {
        RAILWAY_PROJECT_ID: 'p-1',
        RAILWAY_GIT_COMMIT_SHA: sha,
        RAILWAY_GIT_REPO_OWNER: 'acme',
        RAILWAY_GIT_REPO_NAME: 'app',
        RAILWAY_SERVICE_ID: 's-1',
        RAILWAY_DEPLOYMENT_ID: 'd-1',
      },
      {
        commit: sha,
        source: 'https://github.com/acme/app',
        build: 'https://railway.com/project/p-1/service/s-1?id=d-1',
      },
    ],
    Heroku: [{ STACK: 'heroku-24', SOURCE_VERSION: sha }, { commit: sha }],
  };

  test.each([
    ...Object.entries(platforms),
    ['Heroku', [{ HEROKU_BUILD_COMMIT: sha }, { commit: sha }]] as const,
    ['Heroku', [{ HEROKU_SLUG_COMMIT: sha }, { commit: sha }]] as const,
  ])('%s: a platform that builds; the version is that of package.json', async (name, [env, expected]) => {
    writeFileSync(join(cwd, 'package.json'), '{"version":"4.5.6"}');
    const { stderr } = await inProcess(['version'], { cwd, env });
    expect(written()).toEqual({ version: '4.5.6', ...expected });
    expect(stderr).toContain(`wrote version.json: 4.5.6 ${sha.slice(0, 12)} (from ${name})\n`);
  });

  test('a job that deploys to a platform is known by its CI provider', async () => {
    for (const [env] of Object.values(platforms)) {
      const { stderr } = await inProcess(['version'], { cwd, env: { ...env, ...cases['GitLab CI']?.[0] } });
      expect(stderr).toContain('(from GitLab CI)');
    }
  });

  test('Fly.io says no commit: the error says who did not, and takes --set', async () => {
    const env = { FLY_APP_NAME: 'app', FLY_IMAGE_REF: 'registry.fly.io/app:deployment-1' };
    const { code, stderr } = await inProcess(['version'], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain('No commit found: Fly.io did not provide it, and this directory');
    await inProcess(['version', '--set', `commit=${sha}`], { cwd, env });
    expect(written()).toEqual({ commit: sha });
  });

  test('a Buildkite build of "HEAD" takes the commit from git', async () => {
    const commit = repository();
    await inProcess(['version'], { cwd, env: { BUILDKITE: 'true', BUILDKITE_COMMIT: 'HEAD' } });
    expect(written()).toEqual({ commit });
  });
});
