import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { scrub } from '../../../src/core/scrub/scrub.js';

const letters = fc.constantFrom(...Array.from('bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ23456789'));
const part = fc.array(letters, { minLength: 8, maxLength: 12 }).map((list) => list.join(''));
const control = fc.constantFrom('\n', '\r\n', '\t', '\v', '\u0000', '\u001b', '\u0085', '\u2028');

test('no control character in a password makes a URL show it', () => {
  fc.assert(
    fc.property(
      part,
      control,
      part,
      fc.constantFrom('postgres', 'redis', 'amqp', 'mongodb+srv', 'mysql'),
      (one, char, other, scheme) => {
        for (const password of [
          `${one}${char}${other}`,
          `${one}${char}`,
          `${one}${char}${other}${char}`,
          `${char}${one}`,
        ]) {
          const shown = scrub(`cannot open ${scheme}://app:${password}@db.internal:5432/orders`);
          expect([shown.includes(one), password.includes(other) && shown.includes(other)], shown).toEqual([
            false,
            false,
          ]);
        }
      },
    ),
  );
});

test.each<readonly [string, (secret: string) => string]>([
  ['AUTH of Redis', (s) => `ERR in command: AUTH ${s}`],
  ['AUTH with a user', (s) => `AUTH app ${s}`],
  ['CONFIG SET', (s) => `CONFIG SET requirepass ${s}`],
  ['ACL SETUSER', (s) => `ACL SETUSER app on >${s} ~*`],
  ['.pgpass', (s) => `db.internal:5432:orders:app:${s}`],
  ['.pgpass with stars', (s) => `*:*:*:app:${s}`],
  ['PASSWORD()', (s) => `SET PASSWORD FOR 'app'@'%' = PASSWORD('${s}')`],
  ['IDENTIFIED BY', (s) => `CREATE USER app IDENTIFIED BY '${s}'`],
  ['ALTER ROLE', (s) => `ALTER ROLE app WITH PASSWORD '${s}'`],
  ['.netrc', (s) => `machine db login app password ${s}`],
  ['ODBC', (s) => `Driver={x};Uid=app;Pwd=${s};`],
  ['PGPASSWORD', (s) => `PGPASSWORD=${s} psql`],
  ['mysql -p', (s) => `mysql -uapp -p${s} orders`],
  ['redis-cli -a', (s) => `redis-cli -h x -a ${s} ping`],
  ['curl -u', (s) => `curl -u app:${s} http://x`],
])('%s', (_name, make) => {
  fc.assert(
    fc.property(part, (secret) => {
      for (const text of [make(secret), JSON.stringify({ text: make(secret) })])
        expect(scrub(text)).not.toContain(secret);
    }),
  );
});

test.each([
  'auth: { enabled: true }',
  '{"auth":{"enabled":true,"min":8}}',
  'password: { required: true, min: 8 }',
  'password: true',
  'password: null',
  'token_type: bearer',
  'secretName: db',
  'passwordPolicy: strong',
  'checks auth, oauth and jwt failed',
  'src/app.ts:1234:12: error: no value',
  'at 10:22:33:44',
  'see http://db.internal:5432\nor write to bob@example.org',
])('%j stays', (text) => {
  expect(scrub(text)).toBe(text);
});
