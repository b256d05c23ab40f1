import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGunzip } from 'node:zlib';
import { deflated, gzipHead, takesGzip } from '../../../src/page/content/compress.js';

test.each([
  ['gzip', true],
  ['GZIP', true],
  ['br, gzip', true],
  ['gzip;q=0.1', true],
  ['*', true],
  ['*;q=0, gzip', true],
  ['', false],
  ['br', false],
  ['identity', false],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['*, gzip;q=0', false],
  ['*;q=0', false],
  ['xgzip, gzipx', false],
])('Accept-Encoding: %s is taken for %s', (accepted, expected) => {
  expect(takesGzip(accepted)).toBe(expected);
});

test('events that were compressed one by one are one stream, in any order, each readable when it has come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), { maxLength: 8 }),
      async (texts) => {
        const gunzip = createGunzip();
        gunzip.write(gzipHead);
        for (const text of texts) {
          const sent = Buffer.from(text);
          gunzip.write(await deflated(text));
          let got = Buffer.alloc(0);
          while (got.length < sent.length) {
            const chunk: Buffer | null = gunzip.read();
            if (chunk === null) await new Promise((resolve) => gunzip.once('readable', resolve));
            else got = Buffer.concat([got, chunk]);
          }
          expect(got.equals(sent)).toBe(true);
        }
        gunzip.destroy();
      },
    ),
    { numRuns: 50 },
  );
});
