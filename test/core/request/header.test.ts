import { expect, it } from 'vitest';
import { headerOf } from '../../../src/core/request/request.js';

it.each<[unknown, string]>([
  [new Request('http://x/', { headers: { Accept: 'text/html' } }), 'text/html'],
  [new Request('http://x/'), ''],
  [{ headers: { accept: 'text/html' } }, 'text/html'],
  [{ headers: {} }, ''],
  [{ headers: { accept: ['a', 'b'] } }, ''],
  [{ headers: null }, ''],
  [{ headers: 'accept' }, ''],
  [{}, ''],
  [null, ''],
  [undefined, ''],
  ['accept', ''],
])('of %o it is %j', (request, value) => {
  expect(headerOf(request, 'accept')).toBe(value);
});
