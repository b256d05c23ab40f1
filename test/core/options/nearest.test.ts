import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest, slips } from '../../../src/core/options/errors.js';

test.each([
  ['checkRedis', ['check_database', 'check_redis'], 'check_redis'],
  ['CHECK-REDIS', ['check_redis'], 'check_redis'],
  ['chekc_redis', ['check_database', 'check_redis'], 'check_redis'],
  ['redis', ['check_database', 'check_redis_connected'], 'check_redis_connected'],
  ['check_redis_connected_now', ['database', 'redis'], 'redis'],
  ['zebra', ['check_database', 'check_redis'], undefined],
  ['', ['check_database'], undefined],
  ['--', ['check_database'], undefined],
  ['zebra', ['--', ''], undefined],
  ['ключ', ['КЛЮЧ'], 'КЛЮЧ'],
  // The same but for its spelling comes before two slips, and these before a part.
  ['ab_c', ['abd', 'abc'], 'abc'],
  ['storage', ['my_storage_backend', 'storagx'], 'storagx'],
])('%j of %j means %j', (given, known, meant) => {
  expect(nearest(given, known)).toBe(meant);
});

/** The same by the book: the fewest letters to add, leave out or change. */
function distance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const [first, ...rest] = one;
  const [otherFirst, ...otherRest] = other;
  if (first === otherFirst) return distance(rest.join(''), otherRest.join(''));
  return (
    1 +
    Math.min(
      distance(rest.join(''), other),
      distance(one, otherRest.join('')),
      distance(rest.join(''), otherRest.join('')),
    )
  );
}

test('slips are counted as by the book, 3 where the lengths say more than two', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      const expected = Math.abs(one.length - other.length) > 2 ? 3 : distance(one, other);
      expect(slips(one, other)).toBe(expected);
    }),
  );
  expect([slips('', ''), slips('', 'ab'), slips('abc', ''), slips('abcd', 'efgh')]).toEqual([0, 2, 3, 4]);
});
