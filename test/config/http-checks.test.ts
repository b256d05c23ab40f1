import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LifesignError } from 'lifesign';
import { httpChecks } from '../../src/config/http-checks.js';

const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/);
const named = fc.option(name).map((text) => (text === null ? '' : `${text}=`));
const host = fc.stringMatching(/^[a-z]{1,8}(?:\.[a-z]{2,4})?$/);
const rest = fc
  .tuple(host, fc.stringMatching(/^(?::[1-9]\d{1,3})?(?:\/[a-z?=&%;:@!'()*+-]{0,12})?$/))
  .map((parts) => parts.join(''));
const scheme = fc.constantFrom('http://', 'https://', 'HTTP://');
const separator = fc.constantFrom(',', ', ', ' ', '\n', ',,', ' , ');
const entries = fc.array(
  fc.tuple(named, scheme, rest).map((parts) => parts.join('')),
  { minLength: 1, maxLength: 4 },
);

test('every entry with its scheme is a check', () => {
  fc.assert(
    fc.property(entries, separator, (list, between) => {
      expect(Object.keys(httpChecks(` ${list.join(between)}${between}`))).toHaveLength(list.length);
    }),
  );
});

test('an entry without one is an error, wherever it stands', () => {
  const forgotten = fc
    .tuple(named, fc.constantFrom('', '//', 'http:', 'http:/', 'https//', 'ftp://', 'ttp://'), rest)
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(entries, forgotten, separator, fc.nat(4), (list, wrong, between, at) => {
      const all = list.toSpliced(at, 0, wrong).join(between);
      expect(() => httpChecks(all)).toThrow(LifesignError);
      expect(() => httpChecks(all)).toThrow('each URL starts with http:// or https://');
    }),
  );
});

test('the error says what to write and no password', () => {
  expect(() => httpChecks('auth=http://auth/health,billing=u:s3cret@billing:8000/health')).toThrow(
    'HEALTH_HTTP_CHECKS is "***@billing:8000/health"; it must be a comma-separated list of name=URL, ' +
      'where each URL starts with http:// or https://, such as auth=https://auth/health,http://billing:8000/health ' +
      '(write a comma inside a URL as %2C).',
  );
  expect(() => httpChecks('http://h/a,b')).toThrow('HEALTH_HTTP_CHECKS is "b"');
});

test('a name that was made never takes the place of one that was written', () => {
  expect(Object.keys(httpChecks('a_2=http://x,http://a,http://a,a=http://y'))).toEqual([
    'a_2',
    'a',
    'a_3',
    'a_4',
  ]);
});

test('a thousand addresses of one host are as many checks, more are refused', () => {
  const list = (count: number) => 'http://a,'.repeat(count);
  const names = Object.keys(httpChecks(list(1000)));
  expect([names.length, names[0], names[999]]).toEqual([1000, 'a', 'a_1000']);
  expect(() => httpChecks(list(1001))).toThrow(
    'HEALTH_HTTP_CHECKS is "1001 addresses"; it must be at most 1000.',
  );
});
