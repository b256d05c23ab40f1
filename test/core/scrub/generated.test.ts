// Secrets in generated texts: the way of writing, the spacing, the letters and the place are drawn, not listed.
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scrub } from '../../../src/core/scrub/scrub.js';

const letters = Array.from('bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ23456789');
const word = fc
  .array(fc.constantFrom(...letters), { minLength: 8, maxLength: 16 })
  .map((list) => list.join(''));
/** Passwords of two words with a character between them that a way of writing may stumble over. */
const secretWith = (marks: string) =>
  fc
    .tuple(word, fc.constantFrom(...Array.from(marks), ''), word)
    .map(([a, mark, b]) => ({ a, b, text: `${a}${mark}${b}` }));

/** Any mix of capitals and small letters. */
const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((ups) =>
      Array.from(text, (char, at) => (ups[at] === true ? char.toUpperCase() : char.toLowerCase())).join(''),
    );
const space = fc.constantFrom('', ' ', '  ', '\t');
const hosts = fc
  .array(
    fc.constantFrom('db1', 'db-2.internal:5432', '10.0.0.5:6379', '[::1]:5432', 'mongo.example.org:27017'),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((list) => list.join(','));
const user = fc.constantFrom('app', 'app_user', 'svc-orders', 'default', '', 'o.brien');

/** A text with a secret in it. */
interface Case {
  readonly text: string;
  readonly secrets: readonly string[];
}

type Shape = fc.Arbitrary<Case>;
const shape = <T>(parts: fc.Arbitrary<T>, write: (given: T) => Case): Shape => parts.map(write);

const urlMarks = `!$*+,;=.~_-:%#?`;
const shapes: Readonly<Record<string, Shape>> = {
  'URLs with several hosts': shape(
    fc.record({
      scheme: fc.constantFrom(
        'postgres',
        'postgresql',
        'mongodb',
        'mongodb+srv',
        'redis',
        'rediss',
        'redis-sentinel',
        'redis+sentinel',
        'amqp',
        'mysqlx',
        'kafka',
        'nats',
        'cockroachdb',
      ),
      user,
      secret: secretWith(urlMarks),
      hosts,
    }),
    ({ scheme, user, secret, hosts }) => ({
      text: `${scheme}://${user}:${secret.text}@${hosts}/orders?replicaSet=rs0`,
      secrets: [secret.a, secret.b],
    }),
  ),
  'several URLs in a list': shape(
    fc.record({
      list: fc.array(fc.tuple(user, secretWith(urlMarks)), { minLength: 2, maxLength: 4 }),
      gap: fc.constantFrom(',', ', ', ';', ' ', '\n'),
    }),
    ({ list, gap }) => ({
      text: list.map(([name, { text }], at) => `nats://${name}:${text}@n${at}:4222`).join(gap),
      secrets: list.flatMap(([, { a, b }]) => [a, b]),
    }),
  ),
  'percent-encoded': shape(fc.record({ user, secret: secretWith('@/:# %&') }), ({ user, secret }) => ({
    text: `mysql://${user}:${encodeURIComponent(secret.text)}@db/orders`,
    secrets: [secret.a, secret.b],
  })),
  'Authorization: Basic': shape(
    fc.record({
      name: anyCase('authorization'),
      scheme: anyCase('basic'),
      before: space,
      after: space,
      gap: fc.constantFrom(' ', '  ', '\t', '\r\n ', '\n\t'),
      secret: secretWith('!:@'),
    }),
    ({ name, scheme, before, after, gap, secret }) => {
      const value = Buffer.from(`app:${secret.text}`).toString('base64');
      return {
        text: `GET / HTTP/1.1\r\n${name}${before}:${after}${scheme}${gap}${value}\r\nHost: x`,
        secrets: [value.replace(/=+$/, '')],
      };
    },
  ),
  'headers with odd spacing': shape(
    fc.record({
      name: fc
        .constantFrom(
          'X-Api-Key',
          'Proxy-Authorization',
          'X-Auth-Token',
          'Private-Token',
          'Cookie',
          'X-Amz-Security-Token',
        )
        .chain(anyCase),
      before: space,
      after: fc.constantFrom('', ' ', '   ', '\t', ' \t ', '\r\n ', '\r\n\t'),
      secret: secretWith('-_.'),
    }),
    ({ name, before, after, secret }) => ({
      text: `Host: x\r\n${name}${before}:${after}${secret.text}\r\nAccept: */*`,
      secrets: [secret.a, secret.b],
    }),
  ),
  '.my.cnf': shape(
    fc.record({
      section: fc.constantFrom('client', 'mysqldump', 'mysql'),
      before: space,
      after: space,
      quote: fc.constantFrom('', '"', "'"),
      secret: secretWith('!$#;'),
    }),
    ({ section, before, after, quote, secret }) => ({
      text: `[${section}]\nuser=app\npassword${before}=${after}${quote}${secret.text}${quote}\nhost=db`,
      secrets: [secret.a, secret.b],
    }),
  ),
  '.netrc': shape(
    fc.record({
      machine: fc.constantFrom('machine db.example.org', 'default'),
      gaps: fc.constantFrom(' ', '  ', '\n  ', '\n\t', '\t'),
      account: fc.boolean(),
      secret: secretWith('!$#;@:'),
    }),
    ({ machine, gaps, account, secret }) => ({
      text: `${machine}${gaps}login app${account ? `${gaps}account ops` : ''}${gaps}password${gaps}${secret.text}\nmachine other`,
      secrets: [secret.a, secret.b],
    }),
  ),
  'ADO and ODBC': shape(
    fc.record({
      name: fc.constantFrom('pwd', 'password', 'Password', 'user password', 'AccessToken').chain(anyCase),
      before: space,
      after: space,
      quote: fc.constantFrom(['', ''], ['"', '"'], ["'", "'"], ['{', '}']),
      secret: secretWith('!$#@,:'),
    }),
    ({ name, before, after, quote, secret }) => ({
      text: `Server=tcp:db,1433;Uid=app;${name}${before}=${after}${quote[0]}${secret.text}${quote[1]};Encrypt=yes`,
      secrets: [secret.a, secret.b],
    }),
  ),
  JDBC: shape(
    fc.record({
      start: fc.constantFrom(
        'jdbc:sqlserver://db:1433;databaseName=x;user=app;',
        'jdbc:postgresql://h1,h2/db?user=app&',
        'jdbc:mysql://db/x?user=app&',
        'jdbc:db2://db:50000/x:user=app;',
      ),
      secret: secretWith('!$*.'),
    }),
    ({ start, secret }) => ({
      text: `${start}password=${secret.text};ssl=true`,
      secrets: [secret.a, secret.b],
    }),
  ),
  'Oracle in JDBC': shape(secretWith('!$*.'), (secret) => ({
    text: `jdbc:oracle:thin:app/${secret.text}@//db:1521/x or jdbc:oracle:thin:app/${secret.text}@db:1521:x`,
    secrets: [secret.a, secret.b],
  })),
  'arguments of commands': shape(
    fc.record({
      flag: fc.constantFrom(
        '--password=',
        '--password ',
        '--db-password=',
        '--pass=',
        '--token=',
        '--api-key ',
        '--redis-pass=',
      ),
      quote: fc.constantFrom('', '"', "'"),
      secret: secretWith('!$#@,:'),
    }),
    ({ flag, quote, secret }) => ({
      text: `spawn tool --host db ${flag}${quote}${secret.text}${quote} --verbose`,
      secrets: [secret.a, secret.b],
    }),
  ),
  'mysql -p': shape(
    fc.record({
      tool: fc.constantFrom('mysql', 'mysqldump', 'mariadb', 'mariadb-dump', 'mysqladmin'),
      quote: fc.constantFrom('', '"', "'"),
      secret: secretWith('!$#@,:'),
    }),
    ({ tool, quote, secret }) => ({
      text: `Command failed: ${tool} -h db -u app -p${quote}${secret.text}${quote} orders`,
      secrets: [secret.a, secret.b],
    }),
  ),
  SQL: shape(
    fc
      .record({
        start: fc.constantFrom(
          "CREATE USER 'app'@'%' IDENTIFIED BY ",
          'ALTER USER app IDENTIFIED WITH mysql_native_password BY ',
          'CREATE ROLE app LOGIN PASSWORD ',
          'ALTER ROLE app WITH ENCRYPTED PASSWORD ',
          "GRANT ALL ON *.* TO 'app' IDENTIFIED BY PASSWORD ",
          'CREATE LOGIN app WITH PASSWORD = ',
          'ALTER LOGIN app WITH PASSWORD=',
          "SET PASSWORD FOR 'app' = PASSWORD(",
        ),
        gap: fc.constantFrom('', ' ', '\n  '),
        national: fc.boolean(),
        secret: secretWith('!$#@,:;'),
      })
      .chain((given) => anyCase(given.start).map((start) => ({ ...given, start }))),
    ({ start, gap, national, secret }) => ({
      text: `${start}${gap}${national ? 'N' : ''}'${secret.text}'`,
      secrets: [secret.a, secret.b],
    }),
  ),
  options: shape(
    fc.record({
      name: fc.constantFrom(
        'password',
        'pass',
        'passwd',
        'dbPassword',
        'sentinelPassword',
        'accessToken',
        'pwd',
      ),
      deep: fc.nat(3),
      form: fc.constantFrom('json', 'pretty', 'inspect', 'compact'),
      secret: secretWith(`!$#@,:;'"\\\n{}`),
    }),
    ({ name, deep, form, secret }) => {
      let value: object = { host: 'db', [name]: secret.text, port: 5432 };
      for (let level = 0; level < deep; level += 1)
        value = level % 2 === 0 ? { options: value } : { list: [value] };
      const text = {
        json: JSON.stringify(value),
        pretty: JSON.stringify(value, null, 2),
        inspect: inspect(value, { depth: 9 }),
        compact: inspect(value, { depth: 9, breakLength: Infinity }),
      }[form];
      return { text: `Invalid options ${text}`, secrets: [secret.a, secret.b] };
    },
  ),
};

/** Where a text is found: as it is, in an error, in JSON once or twice. */
const place = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `Error: connect failed: ${text}`,
  (text) => JSON.stringify({ message: text }),
  (text) => JSON.stringify(JSON.stringify({ message: text })),
  (text) => `${text}\n    at connect (/app/src/db.js:12:5)`,
);

test.each(Object.entries(shapes))('no secret is left of %s', (_name, arbitrary) => {
  fc.assert(
    fc.property(arbitrary, place, ({ text, secrets }, put) => {
      const shown = scrub(put(text));
      for (const secret of secrets) expect(shown.includes(secret), `${put(text)}\n${shown}`).toBe(false);
    }),
    { numRuns: 200 },
  );
});
