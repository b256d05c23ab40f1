import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectProblem, parseJson, repeatedKey } from '../src/json.js';

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
        expected = { wrong: expect.stringMatching(/^is not JSON \(line \d+, column \d+: [^]+\)$/) };
      }
      expect(parseJson(text)).toEqual(expected);
    }),
  );
});

test.each([
  ['{"a":'.repeat(100_000), 'is nested deeper than 100 levels'],
  [`[${'0,'.repeat(200_000)}0]`, 'has more than 100000 values'],
  [`"${'['.repeat(200_000)}"`, 'is not a JSON object'],
  [
    `{"a":"${'\\\\'.repeat(100_000)}\\"`,
    'is not JSON (line 1, column 6: the string that begins here has no end)',
  ],
  ['{}', undefined],
])('the problem of a body: %.20s', (text, problem) => {
  expect(objectProblem({ body: Buffer.from(text) })).toBe(problem);
});

test.each([
  ['{"load": NaN}', 'line 1, column 10: NaN is not JSON'],
  ['{"a": 1,\n "b": }', 'line 2, column 7: expected a value, found "}"'],
  ['{"a": [1, 2,]}', 'line 1, column 12: a comma before the end'],
  ["{'a': 1}", 'line 1, column 2: expected a key in double quotes, found "\'"'],
  ['{"a": "b', 'line 1, column 7: the string that begins here has no end'],
  ['{"a": 1}x', 'line 1, column 9: there is more after the value'],
  ['{"a" 1}', 'line 1, column 6: expected a colon, found "1"'],
  ['{"a": 1', 'line 1, column 8: the text ends; expected a comma or }'],
  ['', 'line 1, column 1: the text ends; expected a value'],
  ['\uFEFF{}', 'line 1, column 1: a byte order mark is not allowed'],
  ['<!doctype html>', 'line 1, column 1: it is HTML'],
  ['{"a": "\t"}', 'line 1, column 8: a string contains a control character'],
])('where and why %j is not JSON', (text, why) => {
  expect(parseJson(text)).toEqual({ wrong: `is not JSON (${why})` });
});

test('a key that an object has twice is found with its path, whatever else there is', () => {
  fc.assert(
    fc.property(anything, trickyText, (value, key) => {
      const once = JSON.stringify({ outer: { [key]: value } });
      expect(repeatedKey({ body: Buffer.from(once) })).toBe(undefined);
      const inner = `${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}`;
      const twice = `{"outer":[{${inner},${inner}}]}`;
      expect(repeatedKey({ body: Buffer.from(twice) })).toBe(`outer[0].${key}`);
    }),
  );
});
