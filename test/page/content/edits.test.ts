import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edited, editsOf } from '../../../src/page/content/edits.js';

const lines = fc.array(fc.oneof(fc.constantFrom('', 'a', 'b', 'c'), fc.string({ maxLength: 3 })), {
  maxLength: 30,
});
const line = (text: string) => text.replaceAll('\n', ' ');

describe('edits of a text of lines', () => {
  test('make the one text of the other, whatever they are', () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const [old, fresh] = [one.map(line), other.map(line)];
        expect(edited(old, editsOf(old, fresh))).toEqual(fresh);
      }),
      { numRuns: 5000 },
    );
  });

  test('the same after lines were replaced, inserted, removed and moved', () => {
    const change = fc.tuple(
      fc.nat(99),
      fc.nat(3),
      fc.array(fc.constantFrom('new', '12 ms', '<td>'), { maxLength: 3 }),
      fc.nat(99),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 10 }), (changes) => {
        const old = Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? '<td>' : `line ${index}`));
        const fresh = [...old];
        for (const [at, removed, added, to] of changes)
          fresh.splice(to, 0, ...fresh.splice(at, removed, ...added));
        expect(edited(old, editsOf(old, fresh))).toEqual(fresh);
      }),
    );
  });

  test('are small where little changed: one line in a hundred, or a row that moved', () => {
    const old = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? '<td>' : `line ${index}`));
    expect(editsOf(old, old.with(500, 'other'))).toEqual([500, 'other', 499]);
    expect(editsOf(old, ['first', ...old])).toEqual(['first\n<td>', [1, 999]]);
    expect(editsOf(old, old)).toEqual([1000]);
    expect(editsOf([], ['a', 'b'])).toEqual(['a\nb']);
    expect(editsOf(old, [])).toEqual([]);
  });
});
