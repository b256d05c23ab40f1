import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import {
  clean,
  describe as describeThrown,
  describePublicly,
  scrub,
  textOf,
} from '../../../src/core/scrub/scrub.js';
import { makeHealth } from '../make-health.js';

describe('scrub', () => {
  test.each([
    ['postgres://bob:s3cret@db.internal:5432/app refused', 'postgres://***@db.internal:5432/app refused'],
    ['redis://:s3cret@cache:6379', 'redis://***@cache:6379'],
    ['mongodb+srv://u:s3cret@a,b.example/x?y=1', 'mongodb+srv://***@a,b.example/x?y=1'],
    ['postgres://bob:s3@cret/more@db/app', 'postgres://***@db/app'],
    ['dsn root:s3cret@tcp(db:3306)/app', 'dsn ***@tcp(db:3306)/app'],
    ['Server=db;User Id=sa;Password=s3cret;', 'Server=db;User Id=sa;Password=***;'],
    ['PGPASSWORD=s3cret psql', 'PGPASSWORD=*** psql'],
    ['{"db_password": "s3cret and more", "host": "db"}', '{"db_password": ***, "host": "db"}'],
    ["{ client_secret: 's3cret' }", '{ client_secret: *** }'],
    ['Authorization: Bearer s3cret.s3cret', 'Authorization: Bearer ***'],
    ['GET /x?access_token=s3cret&y=1 failed', 'GET /x?access_token=***&y=1 failed'],
    ['"apiKey":"s3cret"', '"apiKey":***'],
    ['jwt eyJhbGciOi.eyJzdWIiOi.s3cret-x expired', 'jwt *** expired'],
    ['key AKIAIOSFODNN7EXAMPLE denied', 'key *** denied'],
    ['-----BEGIN RSA PRIVATE KEY-----\ns3cret\n-----END RSA PRIVATE KEY----- bad', '*** bad'],
    ['password: (s3cret and more\nnext line)', 'password: ***\nnext line)'],
    ['session: a1b2c3d4e5', 'session: ***'],
    ['Cookie: id=1; theme=dark', 'Cookie: ***'],
  ])('%s', (text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed);
  });

  test.each([
    'connect ECONNREFUSED 127.0.0.1:5432',
    'Unexpected token: } in JSON at position 3',
    'Storage is slow: 5 s',
    'see https://runbooks.example/storage#W001',
    'user bob@example.org was not found',
    'password authentication failed for user "bob"',
    'token://not-a-pair',
    'password= host=db',
    'password: [object Object]',
    'session: 12',
    'Authorization: Bearer required',
    'Cookie: none',
    '___=x',
  ])('leaves a text without a secret alone: %s', (text) => {
    expect(scrub(text)).toBe(text);
  });

  it('no password of any URL survives', () => {
    const password = fc.stringMatching(/^[\w!$%&()*+,./:;=?@^|~#-]{6,40}$/);
    fc.assert(
      fc.property(password, (secret) => {
        const shown = scrub(`cannot reach postgres://app:${secret}@db.internal/app now`);
        expect(shown).toBe('cannot reach postgres://***@db.internal/app now');
      }),
    );
  });
});

it('a text made to be slow to search is not slow: megabytes take what a short text takes', () => {
  // Without the bounds each of these takes minutes.
  for (const evil of [
    'a://',
    'password="',
    'a:',
    'x',
    'token',
    '-----BEGIN A-----',
    'eyJaaaaaaa.',
    'bearer ',
  ]) {
    expect(clean(evil.repeat(2_000_000 / evil.length), 2000).length).toBeLessThanOrEqual(2001);
  }
});

it('whatever is thrown is told without throwing', () => {
  const hostile: unknown[] = [
    Object.create(null),
    Object.assign(new Error('x'), { constructor: undefined }),
    Object.assign(new Error('x'), { message: { toString: () => 5 } }),
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('no');
      },
    }),
    new Proxy(new Error('x'), {
      getPrototypeOf() {
        throw new Error('no');
      },
    }),
    Symbol('s'),
    { toString: null },
    new AggregateError([]),
    null,
    undefined,
  ];
  for (const thrown of hostile) {
    expect(typeof textOf(thrown)).toBe('string');
    expect(typeof describeThrown(thrown)).toBe('string');
  }
  fc.assert(fc.property(fc.anything({ withNullPrototype: true }), (thrown) => void describeThrown(thrown)));
});

it('whatever a check throws is a result of that check, and nothing else', async () => {
  const { health } = makeHealth();
  health.check('sync', () => {
    throw Object.assign(new Error('x'), { constructor: undefined });
  });
  health.check('async', () => Promise.reject(Object.create(null)));
  expect((await health.heartbeat()).results.map(({ messages }) => messages[0]?.id)).toEqual([
    'health.E011',
    'health.E011',
  ]);
});

it('secrets reach neither the body nor the log, whoever wrote the text', async () => {
  const { health, records, report } = makeHealth();
  const url = 'mysql://root:hunter2@db/app';
  health.check('throws', () => {
    throw new Error(`cannot open ${url}`);
  });
  health.check('says', () => [new ErrorMessage(`cannot open ${url}`, { id: 'a.E' })]);
  const { body } = await report();
  expect(JSON.stringify(body)).toContain('mysql://***@db/app');
  expect(JSON.stringify([body, records.map(({ msg, fields }) => [msg, fields])])).not.toContain('hunter2');
});

it('bounds what goes into a body: 2,000 characters a text, 1,000 messages a check', async () => {
  const { health, records, report } = makeHealth();
  health.check('long', () => [new ErrorMessage('x'.repeat(3_000_000), { id: 'a.E' })]);
  health.check('many', () =>
    Array.from({ length: 10_000 }, (_, index) => new ErrorMessage('m', { id: index < 9999 ? 'a.E' : 'z.E' })),
  );
  const answer = await report();
  const { details } = answer.body as { details: Record<string, { messages: Record<string, string> }> };
  expect(details['long']?.messages['a.E']).toBe(`${'x'.repeat(2000)}…`);
  const many = details['many']?.messages ?? {};
  expect(Object.keys(many)).toHaveLength(1001);
  expect(many['a.E#1000']).toBe('m');
  expect(many['health.I002']).toBe('9000 more messages from this check are not shown');
  expect(records).toHaveLength(1002);
});

test('a text is not cut between the halves of one character', () => {
  expect(clean('123456789😀', 10)).toBe('123456789…');
  expect(clean('12345678😀x', 10)).toBe('12345678😀…');
  expect(clean('1234567890', 10)).toBe('1234567890');
});

test('an error whose path cannot be read is described all the same', () => {
  const error = Object.defineProperty(new Error('no /etc/app/key here'), 'path', {
    get() {
      throw new Error('not for you');
    },
  });
  expect(describePublicly(error)).toContain('Error: no ');
  expect(describePublicly('thrown')).toBe('thrown');
  const named = Object.assign(new Error("ENOENT: '/etc/my app/key', '/srv/new app/key'"), {
    path: '/etc/my app/key',
    dest: '/srv/new app/key',
  });
  expect(describePublicly(named)).toBe("Error: ENOENT: 'key', 'key'");
  const unquoted = Object.assign(new Error('cannot open /etc/my app/key now'), { path: '/etc/my app/key' });
  expect(describePublicly(unquoted)).toBe('Error: cannot open key now');
  const relative = Object.assign(new Error('cannot open data/my key now'), { path: 'data/my key' });
  expect(describePublicly(relative)).toBe('Error: cannot open data/my key now');
});
