import fc from 'fast-check';
import { expect, it } from 'vitest';
import { summaryJson } from '../../../src/logging/line/summary-json.js';
import { usualSummary } from '../usual-summary.js';

// Few values, so that neighbours often agree in some fields and differ in others.
const text = fc.constantFrom('', 'a', 'b', 'a"', 'é', '\n');
const number = fc.constantFrom(0, -0, 1, 200, 1.5, Number.NaN, Infinity);
const value = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: number },
  fc.constantFrom(undefined, null, true),
);
const odd = fc.dictionary(fc.constantFrom(...Object.keys(usualSummary), 'more'), value, { maxKeys: 3 });
const fields = fc.oneof(
  fc
    .record({ errno: number, agent: text, lang: text, method: text, path: text })
    .chain((front) =>
      fc.record({ code: number, uid: text, rid: text, t: number }).map((back) => ({ ...front, ...back })),
    ),
  odd.map((given) => ({ ...usualSummary, ...given })),
  odd,
);

it('what it writes is all that was given', () => {
  let written = 0;
  fc.assert(
    fc.property(fields, (each) => {
      const json = summaryJson(each);
      if (json === undefined) return;
      written += 1;
      // JSON has no -0.
      expect(JSON.parse(`{${json}}`)).toEqual(JSON.parse(JSON.stringify(each)));
    }),
    { numRuns: 1000 },
  );
  expect(written).toBeGreaterThan(10);
});

it('fields that throw are left to others', () => {
  const throwing = Object.defineProperty({ ...usualSummary }, 'rid', {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  });
  expect(summaryJson(throwing)).toBeUndefined();
});
