import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Family, Histogram, LabelSet, formatNumber, write } from '../../src/metrics/exposition.js';
import { parse } from './parse.js';

const anyText = fc.oneof(
  fc.string(),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  fc
    .array(fc.constantFrom('"', '\\', '\n', '\r', '{', '}', ',', '=', ' ', '#', 'n', '\u2028', '\0'))
    .map((all) => all.join('')),
);
const anyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, 0, -0, 1e21, 5e-324),
  fc.integer(),
);

test('whatever stands in labels, help texts and values is read again as it was', () => {
  const property = fc.property(
    fc.uniqueArray(fc.tuple(anyText, anyText, anyNumber), { selector: ([a, b]) => JSON.stringify([a, b]) }),
    anyText,
    (rows, help) => {
      const family: Family = {
        name: 'acme_things_total',
        help,
        type: 'counter',
        otel: ['acme', '1'],
        collect: (emit) =>
          rows.forEach(([first, second, value]) => emit(value, new LabelSet({ first, second }))),
      };
      const empty = { ...family, name: 'acme_none_total', collect: () => {} };
      const families = parse(write([family, empty]));
      expect(families.size).toBe(rows.length === 0 ? 0 : 1);
      if (rows.length === 0) return;
      const found = families.get('acme_things_total');
      expect(found?.help).toBe(help);
      expect(found?.samples).toEqual(
        // -0 and 0 are the same number on the wire.
        rows.map(([first, second, value]) => ({
          name: 'acme_things_total',
          labels: { first, second },
          value: value === 0 ? 0 : value,
        })),
      );
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test('a histogram counts each value once, wherever it falls', () => {
  const bounds = [0.005, 0.1, 1, 10];
  const labels = fc.constantFrom({}, { check: 'a' });
  const property = fc.property(
    fc.array(fc.double({ min: 0, max: 20, noNaN: true })),
    labels,
    (values, own) => {
      const histogram = new Histogram(bounds, new LabelSet(own));
      for (const value of values) histogram.observe(value);
      const family: Family = {
        name: 'a_seconds',
        help: 'a',
        type: 'histogram',
        otel: ['acme', '1'],
        collect: (emit) => histogram.collect(emit),
      };
      const samples = parse(write([family])).get('a_seconds')?.samples ?? [];
      const buckets = samples.filter(({ name }) => name === 'a_seconds_bucket');
      expect(buckets.map(({ value }) => value)).toEqual(
        [...bounds, Infinity].map((bound) => values.filter((value) => value <= bound).length),
      );
      for (const { labels: given } of buckets) {
        const { le, ...rest } = given;
        expect([le !== undefined, rest]).toEqual([true, own]);
      }
    },
  );
  fc.assert(property);
});

test.each([
  [NaN, 'NaN'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [0.1, '0.1'],
])('%d is written as %s', (value, written) => {
  expect(formatNumber(value)).toBe(written);
});
