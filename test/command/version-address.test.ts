import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { webUrl, withoutCredentials } from '../../src/command/identity.js';
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
    ['build', 'https://ci/1?buildId=8&access_token=s3cret', 'https://ci/1?buildId=8&access_token=***'],
    ['build', 'https://ci/1?sig=s3cret#step', 'https://ci/1?sig=***'],
    ['build', 'https://ci/1#id_token=s3cret', 'https://ci/1#id_token=***'],
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

  test('whatever the password is', () => {
    fc.assert(
      fc.property(secret, (password) => {
        const value = withoutCredentials(`https://u:${password}@h/app`);
        expect({ value, leaks: leaks(value, password) }).toEqual({ value, leaks: false });
      }),
      { numRuns: 2000 },
    );
  });
});
