import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectProblem, parseJson } from '../src/json.js';

/** Levels and values as the parsed value has them. */
function sizeOf(value: unknown): { levels: number; values: number } {
  if (typeof value !== 'object' || value === null) return { levels: 0, values: 1 };
  const inner = Object.values(value).map(sizeOf);
  return {
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

const trickyText = fc
  .array(fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', 'a', '\n', '\u2028'))
  .map((all) => all.join(''));
const anything = fc.anything({
  key: trickyText,
  values: [trickyText, fc.integer(), fc.boolean(), fc.constant(null)],
  maxDepth: 5,
});

test('what is within the limits is parsed as JSON.parse does it, whatever its strings are', () => {
  fc.assert(
    fc.property(anything, fc.nat(2), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      const { levels, values } = sizeOf(JSON.parse(text));
      expect(parseJson(text, { levels, values })).toEqual({ value: JSON.parse(text) });
      if (levels > 0)
        expect(parseJson(text, { levels: levels - 1, values })).toEqual({
          wrong: `is nested deeper than ${levels - 1} levels`,
        });
    }),
  );
});

test('text that is not JSON gets an answer, too', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), trickyText), (text) => {
      let expected;
      try {
        expected = { value: JSON.parse(text) };
      } catch {
        expected = { wrong: 'is not JSON' };
      }
      expect(parseJson(text)).toEqual(expected);
    }),
  );
});

test.each([
  ['{"a":'.repeat(100_000), 'is nested deeper than 100 levels'],
  [`[${'0,'.repeat(200_000)}0]`, 'has more than 100000 values'],
  [`"${'['.repeat(200_000)}"`, 'is not a JSON object'],
  [`{"a":"${'\\\\'.repeat(100_000)}\\"`, 'is not JSON'],
  ['{}', undefined],
])('the problem of a body: %.20s', (text, problem) => {
  expect(objectProblem({ body: Buffer.from(text) })).toBe(problem);
});
