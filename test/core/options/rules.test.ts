import { describe, expect, test } from 'vitest';
import { pagePath } from '../../../src/core/options/rules.js';
import { groupsByName } from '../../../src/core/heartbeat/check.js';
import * as rules from '../../../src/core/options/rules.js';

const { integer, flag, text, levelName, headerName, idList, pathList, pathPrefix, sampleRate, optional } =
  rules;

/** Each rule with what it takes and what is next to that, and what it makes of texts. */
const table: readonly {
  readonly name: string;
  readonly rule: rules.Rule<unknown>;
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
  readonly reads?: readonly (readonly [string, unknown])[];
}[] = [
  {
    name: 'integer',
    rule: integer(2, 5),
    takes: [2, 3, 5],
    refuses: [1, 6, 2.5, '3', NaN, Infinity, true, null],
    reads: [
      ['3', 3],
      ['007', 7],
      ['3a', '3a'],
      ['a3', 'a3'],
      ['-3', '-3'],
      ['', ''],
    ],
  },
  {
    name: 'flag',
    rule: flag,
    takes: [true, false],
    refuses: [0, 1, 'true', null, undefined],
    reads: [
      ['true', true],
      ['TRUE', true],
      ['1', true],
      ['false', false],
      ['False', false],
      ['0', false],
      ['no', 'no'],
    ],
  },
  { name: 'text', rule: text, takes: ['x', ' '], refuses: ['', 7, null], reads: [['x', 'x']] },
  {
    name: 'level name',
    rule: levelName,
    takes: ['debug', 'info', 'warning', 'error', 'critical'],
    refuses: [['error'], 'ok', 'WARNING', 'toString', 30, null],
    reads: [['WARNING', 'warning']],
  },
  {
    name: 'header name',
    rule: headerName,
    takes: ['X-Request-Id', 'x', "!#$%&'*+.^`|~-_9"],
    refuses: ['', 'a b', 'a:', ' a', 'a\n', 'é', 7],
    reads: [['X', 'X']],
  },
  {
    name: 'ids',
    rule: idList,
    takes: [[], ['a'], ['a', 'b']],
    refuses: ['a', [''], ['a', 7], {}, null],
    reads: [
      ['a, b ,,c,', ['a', 'b', 'c']],
      ['', []],
    ],
  },
  {
    name: 'paths',
    rule: pathList,
    takes: [[], ['/'], ['/metrics', '/static/*'], ['/*']],
    refuses: ['/x', ['x'], ['/a*b'], ['/a**'], ['*'], ['x/y'], [7], ['/a', ''], null],
    reads: [['/a, /b*', ['/a', '/b*']]],
  },
  {
    name: 'path of the page',
    rule: pagePath,
    takes: ['/__health__', '/a/b', '/a.b~c-d_9', '/...', '/.a', '/..a', '/a/.well-known'],
    refuses: [
      '',
      '/',
      'a',
      'x/a',
      '/a/',
      '/a//b',
      '/a b',
      '/a?b',
      '/.',
      '/..',
      '/../a',
      '/./a',
      '/a/..',
      '/a/.',
      '/a/../b',
      '/__heartbeat__',
      '/__version__',
      '/__lbheartbeat__',
      7,
    ],
    reads: [['/x', '/x']],
  },
  {
    name: 'prefix',
    rule: pathPrefix,
    takes: ['', '/shop', '/shop/eu', '/__heartbeat__', '/a.b~c-d_9', '/.well-known'],
    refuses: [
      '/',
      'shop',
      '/shop/',
      '//',
      '//shop',
      '/a//b',
      '/a?b',
      '/a#b',
      '/a b',
      '/a%20b',
      '/é',
      '/..',
      '/a/.',
      7,
    ],
    reads: [['/shop', '/shop']],
  },
  {
    name: 'share',
    rule: sampleRate,
    takes: [true, false, 0, 1, 0.5],
    refuses: [-0.1, 1.1, NaN, '0.5', null],
    reads: [
      ['0.5', 0.5],
      ['.25', 0.25],
      ['1', true],
      ['0', false],
      ['true', true],
      ['5', '5'],
      ['0.5x', '0.5x'],
      ['x.5', 'x.5'],
      ['0.', '0.'],
    ],
  },
  {
    name: 'groups',
    rule: groupsByName,
    takes: [{}, { payments: ['a'] }, { ['x'.repeat(64)]: ['a', 'b'], 'A_b-9': ['c'] }],
    refuses: [[], null, 'a', 7],
  },
  {
    name: 'timeout',
    rule: rules.timeout,
    takes: [1, 2 ** 31 - 1],
    refuses: [0, 2 ** 31],
  },
  {
    name: 'time that may be 0',
    rule: rules.duration,
    takes: [0, 2 ** 31 - 1],
    refuses: [-1, 2 ** 31],
  },
  {
    name: 'what may be left out',
    rule: optional(text),
    takes: [undefined, 'x'],
    refuses: ['', null],
    reads: [['x', 'x']],
  },
];

describe.each(table)('$name', ({ rule, takes, refuses, reads = [] }) => {
  test('takes what it should, and nothing beside it', () => {
    expect(takes.filter((value) => !rule.accepts(value))).toEqual([]);
    expect(refuses.filter((value) => rule.accepts(value))).toEqual([]);
  });

  test('reads texts', () => {
    expect(reads.map(([given]) => rule.fromText?.(given))).toEqual(reads.map(([, read]) => read));
  });
});

test('each says what it expects', () => {
  expect(table.map(({ name, rule }) => [name, rule.expects])).toEqual([
    ['integer', 'an integer from 2 to 5'],
    ['flag', 'true or false'],
    ['text', 'a non-empty string'],
    ['level name', 'one of debug, info, warning, error, critical'],
    ['header name', 'an HTTP header name'],
    ['ids', 'a list of message ids'],
    ['paths', 'a list of paths such as "/metrics" or "/static/*"'],
    ['path of the page', 'a path such as "/__health__", other than the three endpoints'],
    ['prefix', 'a path such as "/shop", without a slash at its end'],
    ['share', 'true, false or a number from 0 to 1'],
    ['groups', 'an object that maps group names to lists of check names'],
    ['timeout', 'a text such as "30s", or in code a number from 1 to 2147483647 (milliseconds)'],
    ['time that may be 0', 'a text such as "30s", or in code a number from 0 to 2147483647 (milliseconds)'],
    ['what may be left out', 'a non-empty string'],
  ]);
});

test.each([
  [{ 'a b': ['x'] }, 'A group name is "a b"; it must be 1 to 64 letters, digits, "-" and "_".'],
  [{ 'a/b': ['x'] }, 'A group name is "a/b"'],
  [{ a: [] }, 'Group a is an array; it must be a non-empty list of check names.'],
  [{ a: 'x' }, 'Group a is "x"'],
])('groups %j are refused by name', (value, message) => {
  expect(() => groupsByName.accepts(value)).toThrow(message);
  expect(() => groupsByName.accepts(value)).toThrow(
    "Write groups: { payments: ['check_database_connected'] }.",
  );
});
