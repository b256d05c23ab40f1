import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { clean, scrub } from '../../../src/core/scrub/scrub.js';
import { forms, places } from './forms.js';
import { ordinary } from './ordinary.js';

const letters = fc.constantFrom(...Array.from('bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ23456789'));
const part = fc.array(letters, { minLength: 8, maxLength: 12 }).map((list) => `${list.join('')}7k`);
/** Two parts with a character between them that a way of writing may stumble over. */
const written = fc
  .constantFrom(...forms)
  .chain((form) =>
    fc
      .tuple(part, fc.constantFrom('', ...Array.from(form.marks)), part)
      .map(([one, mark, other]) => ({ form, secret: one + mark + other, parts: [one, other] })),
  );

/** Whether four characters of a part in a row can be read. */
const leaks = (shown: string, parts: readonly string[]) =>
  parts.some((each) => Array.from(each.slice(3)).some((_, at) => shown.includes(each.slice(at, at + 4))));

describe('a secret', () => {
  test.each(forms.map(({ name, make }) => [name, make] as const))('in %s', (_name, make) => {
    const parts = ['Hk29fjQz7L', 'mPq3Xw8Rt5'];
    for (const place of places) expect(leaks(scrub(place(make(parts.join('')))), parts)).toBe(false);
  });

  it('is hidden whole, whatever it consists of and wherever it stands', () => {
    fc.assert(
      fc.property(written, fc.constantFrom(...places), ({ form, secret, parts }, place) => {
        const text = place(form.make(secret));
        const shown = scrub(text);
        expect(leaks(shown, parts), `${form.name}: ${text}\n-> ${shown}`).toBe(false);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 5000) },
    );
  });

  it('is not shown in half by a cut', () => {
    const cuts = fc.record({ pad: fc.nat(2300), longest: fc.integer({ min: 50, max: 500 }) });
    fc.assert(
      fc.property(written, cuts, ({ form, secret, parts }, { pad, longest }) => {
        const text = `${'lorem ipsum, '.repeat(200).slice(0, pad)}\n${form.make(secret)} ${'x '.repeat(5000)}`;
        const shown = clean(text, longest);
        expect(shown.length).toBeLessThanOrEqual(longest + 1);
        expect(leaks(shown, parts), `${form.name} cut at ${longest}, pad ${pad}`).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('is not looked for again in what was scrubbed', () => {
    fc.assert(
      fc.property(written, fc.constantFrom(...places), ({ form, secret }, place) => {
        const once = scrub(place(form.make(secret)));
        expect(scrub(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });
});

test.each([
  ['postgres://bob:s3@cret/more@db:5432/app refused', 'postgres://***@db:5432/app refused'],
  ['mysql://root:12/34@db refused', 'mysql://***@db refused'],
  ['Server=db;User Id=sa;Password=s3cret;', 'Server=db;User Id=sa;Password=***;'],
  ['{"db_password": "s3cret and more", "host": "db"}', '{"db_password": ***, "host": "db"}'],
  ["{ client_secret: 's3cret' }", '{ client_secret: *** }'],
  ['Authorization: Bearer s3cret.s3cret', 'Authorization: Bearer ***'],
  ['GET /x?access_token=s3cret&y=1 failed', 'GET /x?access_token=***&y=1 failed'],
  ['jwt eyJhbGciOi.eyJzdWIiOi.s3cret-x expired', 'jwt *** expired'],
  ['key AKIAIOSFODNN7EXAMPLE denied', 'key *** denied'],
  ['-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY----- bad', '*** bad'],
  ["Duplicate entry 'bob' for key 'people.email'", "Duplicate entry '***' for key 'people.email'"],
])('%s', (text, shown) => expect(scrub(text)).toBe(shown));

test.each(ordinary)('an ordinary text stays: %s', (text) => expect(scrub(text)).toBe(text));

test('a text is not cut between the halves of one character', () => {
  expect(clean('123456789😀', 10)).toBe('123456789…');
  expect(clean('12345678😀x', 10)).toBe('12345678😀…');
  expect(clean('1234567890', 10)).toBe('1234567890');
});
