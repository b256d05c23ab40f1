import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { webUrl, withoutCredentials } from '../../src/command/version/address.js';
import { recognise } from '../../src/command/version/providers.js';
import { inProcess } from './run.js';

describe('the address of a repository', () => {
  test.each([
    ['git@github.com:acme/app.git', 'https://github.com/acme/app'],
    ['github.com:acme/app', 'https://github.com/acme/app'],
    ['ssh://git@git.acme.dev:2222/acme/app.git', 'https://git.acme.dev/acme/app'],
    ['git://git.acme.dev/app.git', 'https://git.acme.dev/app'],
    ['http://git.acme.dev:3000/acme/app.git/', 'http://git.acme.dev:3000/acme/app'],
    ['/srv/git/app.git', undefined],
    ['file:///srv/git/app.git', undefined],
    ['', undefined],
    ['C:/srv/app.git', undefined],
    ['ext::sh -c x', undefined],
    ['https://git.acme.dev/@acme/app', 'https://git.acme.dev/@acme/app'],
    ['https://git.acme.dev/app.git?private_token=s3cret#access_token=s3cret', 'https://git.acme.dev/app'],
    ['https://oauth2:s3/cret@git.acme.dev/app.git', 'https://git.acme.dev/app'],
    ['https://oauth2:1/s3cret@git.acme.dev/app.git', 'https://git.acme.dev/app'],
    ['https:oauth2:s3cret@git.acme.dev/app.git', undefined],
    ['oauth2:s3cret@git.acme.dev/app.git', undefined],
    ['oauth2:s3cret@git.acme.dev:app.git', 'https://git.acme.dev/app'],
  ])('%s', (address, link) => expect(webUrl(address)).toBe(link));

  test('never carries a user or a password', () => {
    const word = fc
      .stringMatching(/^[a-zA-Z0-9%._~-]{1,20}$/)
      .filter((text) => URL.canParse(`https://${text}@h/`));
    fc.assert(
      fc.property(word, word, fc.constantFrom('https', 'http', 'ssh', 'git'), (user, password, scheme) => {
        const link = webUrl(`${scheme}://${user}:${password}@git.acme.dev/acme/app.git`);
        expect(link).toBe(`${scheme === 'http' ? 'http' : 'https'}://git.acme.dev/acme/app`);
      }),
    );
  });
});

// A password with every character that a shell or a URL could stumble over.
const secret = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019/?#@:;&=%+~!$,[]"\\'.split('')), minLength: 4, maxLength: 24 })
  .map((text) => `S3CR${text}3T`);
const parts = (text: string) => text.split(/[^A-Za-z0-9]+/).filter((part) => /S3CR|3T$/.test(part));
const leaks = (text: string | undefined, password: string) =>
  parts(password).some((part) => text?.toLowerCase().includes(part.toLowerCase()));

test('whatever the password is, no link shows a part of it', () => {
  const shapes = fc.constantFrom(
    (password: string) => `https://oauth2:${password}@git.acme.dev/acme/app.git`,
    (password: string) => `https://${password}@git.acme.dev/acme/app.git`,
    (password: string) => `ssh://git:${password}@git.acme.dev:22/acme/app.git`,
    (password: string) => `git:${password}@git.acme.dev:acme/app.git`,
    (password: string) =>
      `https://git.acme.dev/acme/app.git?private_token=${password.replaceAll(/[@#]/g, '')}`,
    (password: string) => `https://git.acme.dev/acme/app.git#access_token=${password.replaceAll('@', '')}`,
  );
  fc.assert(
    fc.property(secret, shapes, (password, shape) => {
      const link = webUrl(shape(password));
      expect({ link, leaks: leaks(link, password) }).toEqual({ link, leaks: false });
    }),
    { numRuns: 2000 },
  );
});

test('a credential in any variable of a CI provider reaches no field but its own', () => {
  const marks = [
    'GITHUB_ACTIONS GITHUB_SHA GITHUB_SERVER_URL GITHUB_REPOSITORY GITHUB_RUN_ID',
    'GITLAB_CI CI_PROJECT_URL CI_JOB_URL',
    'CIRCLECI CIRCLE_REPOSITORY_URL CIRCLE_BUILD_URL',
    'BUILDKITE BUILDKITE_REPO BUILDKITE_BUILD_URL BUILDKITE_JOB_ID',
    'TF_BUILD BUILD_REPOSITORY_URI SYSTEM_TEAMFOUNDATIONCOLLECTIONURI SYSTEM_TEAMPROJECT BUILD_BUILDID',
    'JENKINS_URL GIT_URL BUILD_URL',
    'CODEBUILD_BUILD_ARN CODEBUILD_SOURCE_REPO_URL CODEBUILD_BUILD_URL AWS_REGION CODEBUILD_BUILD_ID',
    'NETLIFY REPOSITORY_URL SITE_NAME DEPLOY_ID',
    'VERCEL VERCEL_URL VERCEL_GIT_PROVIDER',
  ].map((names) => names.split(' '));
  fc.assert(
    fc.property(
      fc.constantFrom(...marks),
      fc.stringMatching(/^S3CR[A-Za-z0-9]{8,20}$/),
      fc.constantFrom(
        'https://u:TOKEN@h/a',
        'https://TOKEN@h/a/',
        'https://h/a?t=TOKEN',
        'https://h/a#TOKEN',
      ),
      (names, token, shape) => {
        const address = shape.replace('TOKEN', token);
        const env = Object.fromEntries(
          names.map((name) => [name, /UR[LI]|REPO$/.test(name) ? address : '1']),
        );
        const { source, build } = recognise(env)?.identity ?? {};
        expect(`${webUrl(source)} ${build}`).not.toContain(token);
        expect(build ?? '').not.toMatch(/@/);
      },
    ),
  );
});

describe('--set', () => {
  test.each(['comit=abc', 'comit=', 'biuld=1'])('%s is called unknown', async (assignment) => {
    const args = ['version', '--out', '-', '--set', 'commit=abc', '--set', assignment];
    const { stderr } = await inProcess(args);
    const [field = ''] = assignment.split('=');
    const meant = field === 'comit' ? 'commit' : 'build';
    expect(stderr).toContain(`--set ${field}: unknown field, written as it is; did you mean ${meant}?\n`);
  });

  test.each(['environment=x', 'commit=abc'])('%s is not', async (assignment) => {
    const { stderr } = await inProcess(['version', '--out', '-', '--set', 'commit=abc', '--set', assignment]);
    expect(stderr).not.toContain('unknown');
  });

  test.each([
    ['source', 'https://u:p@h/app', 'https://h/app'],
    ['source', 'https://gitlab-ci-token:s3cret@gitlab.com/acme/app.git', 'https://gitlab.com/acme/app.git'],
    ['source', 'ssh://u:p/w@h/app', 'ssh://h/app'],
    ['source', 'u:p@h:acme/app.git', 'h:acme/app.git'],
    ['build', 'https://ci/1?buildId=8&access_token=s3cret', 'https://ci/1?buildId=8'],
    ['build', 'https://ci/1?sig=s3cret#step', 'https://ci/1#step'],
    ['build', 'https://ci/1#id_token=s3cret', 'https://ci/1'],
    ['database', 'postgres://u:p@h/app', 'postgres://h/app'],
    ['note', 'see https://u:p@h/app', 'see https://h/app'],
  ])('%s=%s: what is public has no credential, and a line says so', async (field, value, expected) => {
    const args = ['version', '--out', '-', '--set', 'commit=abc', '--set', `${field}=${value}`];
    const { code, stdout, stderr } = await inProcess(args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)[field]).toBe(expected);
    expect(stderr).toContain(`--set ${field}: credentials were removed because version.json is public\n`);
    expect(stderr).not.toContain(value);
  });

  test.each([
    ['source', 'git@github.com:acme/app.git'],
    ['source', 'https://h/@acme/app?h=main#readme'],
    ['source', 'https://h:8443/acme/app'],
    ['build', 'https://dev.azure.com/acme/web%20shop/_build/results?buildId=8'],
    ['image', 'registry:5000/app:1@sha256:0123'],
    ['note', 'mail me@acme.dev, 12:30'],
    ['commit', 'abc'],
  ])('%s=%s is written as it is', (field, value) => expect(withoutCredentials(field, value)).toBe(value));

  test('whatever the password is', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom('source', 'build', 'x'), (password, field) => {
        const value = withoutCredentials(field, `https://u:${password}@h/app`);
        expect({ value, leaks: leaks(value, password) }).toEqual({ value, leaks: false });
      }),
      { numRuns: 2000 },
    );
  });
});
