import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrub } from '../../../src/core/scrub/scrub.js';

const secretive = fc.constantFrom(
  'secrets',
  'secret',
  'password',
  'passwords',
  'token',
  'session',
  'api-key',
  'apiKey',
  'auth',
  'credentials',
  'jwt',
  'user.password',
  'vault_secret',
);
const extension = fc.constantFrom('js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'tsx', 'jsx', 'vue', 'json');
const file = fc.tuple(secretive, extension).map((parts) => parts.join('.'));
const line = fc.integer({ min: 1, max: 999_999 });

describe('a place in a file whose name is that of a secret', () => {
  it('is shown in a stack, in whichever way it is written', () => {
    fc.assert(
      fc.property(file, line, line, (name, row, column) => {
        for (const text of [
          `at load (/app/src/${name}:${row}:${column})`,
          `at /app/src/${name}:${row}:${column}`,
          `at async file:///app/${name}:${row}:${column}`,
          `at load (C:\\app\\${name}:${row}:${column})`,
          `load (${name}:${row})`,
          `Error: it broke\n    at a (${name}:${row}:${column})\n    at b (${name}:${column}:${row})`,
          `/app/${name}:${row}`,
          `/app/${name}:${row}, and more`,
        ]) {
          expect(scrub(text)).toBe(text);
        }
      }),
    );
  });

  it('is not a way to have a secret shown', () => {
    const value = fc.stringMatching(/^[A-Za-z][A-Za-z0-9+/]{10,30}$/);
    fc.assert(
      fc.property(file, secretive, value, line, (name, key, secret, row) => {
        for (const text of [
          `${name}:${secret}`,
          `${name}: ${secret}`,
          `${name}=${secret}`,
          `${name}:${row}${secret}`,
          `${name}:${row}:${secret}`,
          `${name}:${row}/${secret}`,
          `${name}:${row}-${secret}`,
          `${key}: ${row}${secret}`,
        ]) {
          // A weak name, as token, wants a value that looks like one.
          if (/token|session|auth/.test(text)) continue;
          expect(scrub(text)).not.toContain(secret);
        }
      }),
    );
    expect(scrub('password:12345678')).toBe('password:***');
    expect(scrub('secrets.json: 12345678')).not.toContain('12345678');
    expect(scrub('secrets.js:12345678')).not.toContain('12345678');
  });
});
