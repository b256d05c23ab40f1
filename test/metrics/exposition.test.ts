import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatOf } from '../../src/metrics/accept.js';
import { numberOf, write } from '../../src/metrics/exposition.js';
import type { Family } from '../../src/metrics/family.js';
import { Histogram } from '../../src/metrics/histogram.js';
import { LabelSet } from '../../src/metrics/labels.js';
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

test('whatever stands in labels, help texts and values is read again as it was, in both formats', () => {
  const property = fc.property(
    fc.uniqueArray(fc.tuple(anyText, anyText, anyNumber), { selector: ([a, b]) => JSON.stringify([a, b]) }),
    anyText,
    (rows, help) => {
      const family: Family = {
        name: 'acme_things_total',
        help,
        type: 'counter',
        aggregator: 'sum',
        collect: (emit) =>
          rows.forEach(([first, second, value]) => emit(value, new LabelSet({ first, second }))),
      };
      const empty = { ...family, name: 'acme_none_total', collect: () => {} };
      for (const format of ['text', 'openmetrics'] as const) {
        const families = parse(write([family, empty], format), format);
        if (rows.length === 0) {
          expect(families.size).toBe(0);
          continue;
        }
        const found = families.get(format === 'text' ? 'acme_things_total' : 'acme_things');
        expect(found?.help).toBe(help);
        expect(found?.samples).toEqual(
          // -0 and 0 are the same number on the wire.
          rows.map(([first, second, value]) => ({
            name: 'acme_things_total',
            labels: { first, second },
            value: value === 0 ? 0 : value,
          })),
        );
      }
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
        unit: 'seconds',
        aggregator: 'sum',
        collect: (emit) => histogram.collect(emit),
      };
      for (const format of ['text', 'openmetrics'] as const) {
        const samples = parse(write([family], format), format).get('a_seconds')?.samples ?? [];
        const buckets = samples.filter(({ name }) => name === 'a_seconds_bucket');
        expect(buckets.map(({ value }) => value)).toEqual(
          [...bounds, Infinity].map((bound) => values.filter((value) => value <= bound).length),
        );
        for (const {
          labels: { le, ...rest },
        } of buckets)
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
  expect(numberOf(value)).toBe(written);
});

const open = 'application/openmetrics-text';
test.each([
  ['', 'text'],
  ['*/*', 'text'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
  ['text/plain;version=0.0.4', 'text'],
  [open, 'openmetrics'],
  [`${open};version=1.0.0`, 'openmetrics'],
  [`${open}; version="1.0.0"; charset=utf-8`, 'openmetrics'],
  ['Application/OpenMetrics-Text', 'openmetrics'],
  // Prometheus 2.42 and 3.
  [
    `${open};version=1.0.0,${open};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`,
    'openmetrics',
  ],
  [
    `${open};version=1.0.0;escaping=allow-utf-8;q=0.6,${open};version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`,
    'openmetrics',
  ],
  [`${open};version=0.0.1`, 'text'],
  [`${open};version=2.0.0,text/plain;q=0.1`, 'text'],
  [`${open};q=0.5,text/plain;q=0.9`, 'text'],
  [`${open};q=0.5,text/plain;q=0.4`, 'openmetrics'],
  [`${open};q=0.2,*/*;q=0.5`, 'text'],
  [`${open};q=0`, 'text'],
  [`${open};q=2`, 'text'],
  [`${open};q=-1`, 'text'],
  [`${open};q=x`, 'text'],
])('Accept: %s is answered with %s', (accept, format) => {
  expect(formatOf(accept)).toBe(format);
});

test('no header makes it throw', () => {
  const piece = fc.constantFrom(
    open,
    'text/plain',
    '*/*',
    ';',
    ',',
    'q=',
    '0.5',
    'version=1.0.0',
    '"',
    '=',
    ' ',
  );
  const header = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join('')),
  );
  fc.assert(fc.property(header, (accept) => ['text', 'openmetrics'].includes(formatOf(accept))));
});
