import fc from 'fast-check';
import { expect, test } from 'vitest';
import { families, scrubWhole } from '../../../src/core/scrub/families.js';
import { hints, mayHide } from '../../../src/core/scrub/hints.js';
import { clean } from '../../../src/core/scrub/scrub.js';
import { clean as cleanWithoutLook } from '../../../src/core/scrub/texts.js';

test('each family looks for its hint, and each hint is that of a family', () => {
  expect(new Set(families.map(({ hint }) => hint))).toEqual(new Set(Object.values(hints)));
});

/** Texts in which secrets are likely: pieces of what marks them, put together at random. */
const marks =
  'password=|npm_|ghp_|Bearer |://|user:|@|--token |:AA|$2b$|-----BEGIN |check_|re_|secret|near "|key | row |<pw>|eyJ|xoxb-|AUTH |%3D|->|_'.split(
    '|',
  );
const piece = fc.oneof(
  fc.constantFrom(...marks),
  fc.stringMatching(/^[A-Za-z0-9_]{1,40}$/),
  fc.string({ maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

test('a text that may hide nothing is not changed by any family', () => {
  fc.assert(
    fc.property(text, (given) => {
      if (!mayHide(given)) expect(scrubWhole(given)).toBe(given);
    }),
    { numRuns: 5000 },
  );
});

test('the look at the hints changes no outcome, however long the text may be', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), fc.boolean(), (given, longest, withData) => {
      expect(clean(given, longest, withData)).toBe(cleanWithoutLook(given, longest, withData));
    }),
    { numRuns: 5000 },
  );
});

test('names of our own checks need no search', () => {
  const names = ['database_connected', 'redis_connected', 'broker_connected', 'migrations_applied'];
  expect(names.filter((name) => mayHide(`check_${name}`))).toEqual([]);
});
