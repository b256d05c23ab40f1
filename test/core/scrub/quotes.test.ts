import { expect, it } from 'vitest';
import { scrub } from '../../../src/core/scrub/scrub.js';

const secret = 's3cretValue9';

/** Values as SQL, CSV, TOML and code write them, quotes in the value included. */
const written = ["'", '"'].flatMap((quote) =>
  [2, 3, 4, 5].flatMap((count) => {
    const marks = quote.repeat(count);
    const inside = `s3cret${quote.repeat(count + 2)}Value9`;
    return [secret, inside, `${secret} and ${secret}`].flatMap((value) => [
      `${marks}${value}${marks}`,
      // After an even number of quotes and a line feed, the value was empty.
      ...(count % 2 === 1 ? [`${marks}\n${value}\n${marks}`] : []),
      `${marks}${value}`,
    ]);
  }),
);
/** Where they stand. */
const places = [
  (value: string) => `password = ${value}`,
  (value: string) => `ALTER USER shop WITH PASSWORD ${value}; SELECT 1`,
  (value: string) => `'CREATE ROLE shop PASSWORD ${value}'`,
  (value: string) => `"db_password: ${value}", next`,
  (value: string) => JSON.stringify({ sql: `ALTER USER shop PASSWORD ${value}` }),
  (value: string) => JSON.stringify(JSON.stringify({ toml: `password=${value}` })),
];

it.each(written)('a value in repeated quotes is hidden whole: %j', (value) => {
  const shown = places.map((place) => scrub(place(value)));
  expect(shown.filter((text) => /s3cret|Value9/.test(text))).toEqual([]);
});

it.each([
  ["ALTER USER shop PASSWORD ''s3cret''; SELECT 1", 'ALTER USER shop PASSWORD ***; SELECT 1'],
  [`password,"token=""s3cretValue9"""\nnext`, `password,"token=***"\nnext`],
  ['password = """\ns3cret\n"""\nport = 1', 'password = ***\nport = 1'],
  ["password='' host=db", 'password=*** host=db'],
])('what follows stays: %j', (text, shown) => {
  expect(scrub(text)).toBe(shown);
});
