import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, maxLoggedLength } from '../../../src/core/request/summary.js';
import { codePoint } from '../code-point.js';

/** As the standard says it, slowly: each run of escapes is UTF-8 of its own. */
function reference(text: string): string {
  const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      Uint8Array.from(run.slice(1).split('%'), (pair) => Number.parseInt(pair, 16)),
    ),
  );
  if (decoded.length <= maxLoggedLength) return decoded;
  return `${Array.from(decoded.slice(0, maxLoggedLength))
    .join('')
    .replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const escape = fc.tuple(fc.integer({ min: 0, max: 255 }), fc.boolean()).map(([octet, upper]) => {
  const pair = octet.toString(16).padStart(2, '0');
  return `%${upper ? pair.toUpperCase() : pair}`;
});
const character = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map(encodeURIComponent);
const piece = fc.oneof(
  { weight: 4, arbitrary: escape },
  { weight: 2, arbitrary: character },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '%',
      '%8',
      '%G0',
      '%0g',
      '%%',
      '%EF%BB%BF',
      '%F0%9F%98%80',
      'a',
      '/',
      'é',
      '%ED%A0%80',
    ),
  },
  fc.string({ unit: codePoint, maxLength: 4 }).map((text) => text.replace(/\p{Cs}/gu, '')),
);
const target = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe('percent-decoding', () => {
  test('is that of the standard for whatever is sent, UTF-8 or not', () => {
    fc.assert(
      fc.property(target, (text) => {
        expect(decode(text)).toBe(reference(text));
      }),
      { numRuns: 3000 },
    );
  });

  test('keeps 4096 characters, never half of one, however many octets they take', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('a', '%61', '%80', '%80a', '%E2%82%AC', '%F0%9F%98%80', '😀', '%', '%8'),
        fc.constantFrom('', 'x', '%C3'),
        fc.integer({ min: 1000, max: 9000 }),
        (unit, start, times) => {
          const text = start + unit.repeat(times);
          const decoded = decode(text);
          expect(decoded).toBe(reference(text));
          expect(decoded.length).toBeLessThanOrEqual(maxLoggedLength + 1);
          expect(decoded).not.toMatch(/\p{Cs}/u);
        },
      ),
      { numRuns: 100 },
    );
  });
});
