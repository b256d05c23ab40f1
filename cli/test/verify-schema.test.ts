import { expect, test } from 'vitest';
import { misfitOf } from '../src/verify/schema.js';

misfitOf({ $id: 'other.json', type: 'string' });

test.each<[schema: boolean | object, value: unknown, violation: string | undefined]>([
  [true, 1, undefined],
  [false, 1, 'the line must not be present'],
  [{ title: 'x', description: 'y', $comment: 'z' }, 1, undefined],
  [{ type: 'integer' }, 1, undefined],
  [{ type: 'integer' }, 1.5, 'the line is 1.5; it must be integer'],
  [{ type: 'number' }, '1', 'the line is "1"; it must be number'],
  [{ type: 'array' }, [], undefined],
  [{ type: 'array' }, {}, 'the line is {}; it must be array'],
  [{ type: 'object' }, [], 'the line is []; it must be object'],
  [{ type: 'object' }, null, 'the line is null; it must be object'],
  [{ type: ['string', 'null'] }, null, undefined],
  [{ type: ['string', 'null'] }, 1, 'the line is 1; it must be string or null'],
  [{ const: 'a' }, 'a', undefined],
  [{ const: 'a' }, 'b', 'the line is "b"; it must be "a"'],
  [{ enum: [1, 2] }, 2, undefined],
  [{ enum: [1, 2] }, 3, 'the line is 3; it must be one of [1,2]'],
  [{ minimum: 1, maximum: 2 }, 1, undefined],
  [{ minimum: 1, maximum: 2 }, 2, undefined],
  [{ minimum: 1 }, 0, 'the line is 0; it must be at least 1'],
  [{ maximum: 2 }, 3, 'the line is 3; it must be at most 2'],
  [{ minimum: 1, maximum: 2 }, '3', undefined],
  [{ minLength: 1, maxLength: 2 }, 'ab', undefined],
  [{ minLength: 1 }, '', 'the line is ""; it must be longer'],
  [{ maxLength: 2 }, 'abc', 'the line is "abc"; it must be shorter'],
  [{ minLength: 1, maxLength: 2 }, 7, undefined],
  [{ required: ['a', 'b'] }, { a: 1, b: null }, undefined],
  [{ required: ['a', 'b'] }, { a: 1 }, 'b is missing'],
  [{ required: ['toString'] }, {}, 'toString is missing'],
  [{ required: ['a'] }, 'a', undefined],
  [{ properties: { a: { properties: { b: { const: 1 } } } } }, { a: { b: 2 } }, 'a.b is 2; it must be 1'],
  [{ properties: { a: { required: ['b'] } } }, { a: {} }, 'a.b is missing'],
  [{ properties: { a: false } }, { a: 1 }, 'a must not be present'],
  [{ properties: { a: false, toString: false } }, { b: 1 }, undefined],
  [{ properties: { a: false } }, ['a'], undefined],
  [{ properties: { a: true }, additionalProperties: false }, { a: 1 }, undefined],
  [{ properties: { a: true }, additionalProperties: false }, { a: 1, b: 2 }, 'b must not be present'],
  [{ additionalProperties: { type: 'string' } }, { b: 2 }, 'b is 2; it must be string'],
  [{ additionalProperties: false }, 'text', undefined],
  [{ allOf: [{ type: 'string' }, { minLength: 2 }] }, 'ab', undefined],
  [{ allOf: [{ type: 'string' }, { minLength: 2 }] }, 'a', 'the line is "a"; it must be longer'],
  [{ $ref: 'other.json' }, 'a', undefined],
  [{ $ref: 'other.json' }, 1, 'the line is 1; it must be string'],
])('%j of %j', (schema, value, violation) => {
  expect(misfitOf(schema)(value)).toBe(violation);
});

test.each([
  [{ multiple: 2 }, 'strict mode: unknown keyword: "multiple"'],
  [{ $ref: 'missing.json' }, "can't resolve reference missing.json"],
])('half a validation is refused: %j', (schema, message) => {
  expect(() => misfitOf(schema)).toThrow(message);
});
