import { expect, test } from 'vitest';
import { scalarsOf } from '../../src/core/fields.js';

test('texts, numbers, truths and null are kept, everything else is left out', () => {
  const given = {
    text: 'a',
    number: 1.5,
    big: 12345678901234567890n,
    truth: false,
    nothing: null,
    missing: undefined,
    nan: NaN,
    infinite: Infinity,
    object: {},
    list: [1],
    symbol: Symbol('s'),
    call: () => 1,
  };
  expect(scalarsOf(given)).toEqual({
    text: 'a',
    number: 1.5,
    big: '12345678901234567890',
    truth: false,
    nothing: null,
  });
});

test('there are 20 at the most, with names of 64 characters and values of 1,000', () => {
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`field${index}`, index]));
  expect(Object.keys(scalarsOf(many))).toEqual(Array.from({ length: 20 }, (_, index) => `field${index}`));
  expect(scalarsOf({ ['n'.repeat(64)]: 1, ['m'.repeat(65)]: 2 })).toEqual({
    ['n'.repeat(64)]: 1,
    [`${'m'.repeat(64)}…`]: 2,
  });
  expect(scalarsOf({ a: 'v'.repeat(1000), b: 'w'.repeat(1001) })).toEqual({
    a: 'v'.repeat(1000),
    b: `${'w'.repeat(1000)}…`,
  });
});

test('a secret is hidden by what it is, or by its name', () => {
  expect(
    scalarsOf({ password: 'hunter2', url: 'redis://:hunter2@cache', note: 'fine', api_key: 'abc123def' }),
  ).toEqual({ password: '***', url: 'redis://***@cache', note: 'fine', api_key: '***' });
  expect(Object.keys(scalarsOf({ 'postgres://app:hunter2@db': 1 }))).toEqual(['postgres://***@db']);
});
