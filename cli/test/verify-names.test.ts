import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretHeader, secretIn } from '../src/verify/leaks.js';

const secretNames = [
  'auth',
  'oauth',
  'jwt',
  'csrf_token',
  'password_service',
  'check_secret_key',
  'check_csrf_middleware',
  'session_store',
  'api_key',
];
const words = ['ok', 'debug', 'info', 'warning', 'error', 'critical'];
const body = (value: unknown) => Buffer.from(JSON.stringify(value));

test('the name of a check is not a secret, whatever it is and says', () => {
  const name = fc.oneof(fc.constantFrom(...secretNames), fc.stringMatching(/^[a-z_]{1,20}$/));
  fc.assert(
    fc.property(fc.dictionary(name, fc.constantFrom(...words)), (checks) => {
      const details = Object.fromEntries(
        Object.entries(checks).map(([check, status]) => [
          check,
          { status, level: 40, messages: { [`${check}.E001`]: 'It does not respond' } },
        ]),
      );
      expect(secretIn(body({ status: 'error', checks, details }))).toBe(undefined);
    }),
  );
});

test('a secret is found under any key, and the key is named', () => {
  const key = fc.stringMatching(/^[a-z]{1,10}$/).filter((name) => name !== '__proto__');
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), (path) => {
      const value = path.reduceRight<unknown>(
        (inner, name) => ({ [name]: inner }),
        'cannot reach postgres://app:hunter2@db/app',
      );
      expect(secretIn(body(value))).toMatch(new RegExp(`^${path.join('\\.')} contains a secret \\(`));
    }),
  );
});

test.each([
  [{ status: 'ok', checks: { db: 'postgres://app:hunter2@db/app' } }, 'checks.db'],
  [
    { details: { db: { messages: { 'db.E001': 'password=hunter2 refused' } } } },
    'details.db.messages.db.E001',
  ],
  [{ status: 'ok', password: 'hunter2' }, 'password'],
])('%j', (value, key) => {
  expect(secretIn(body(value))).toContain(`${key} contains a secret (`);
});

test('headers with random values that are no secrets', () => {
  const headers = {
    etag: '"c2VjcmV0LXRva2VuLTEyMzQ1Njc4"',
    'x-request-id': 'a94a8fe5-ccb1-9ba6-1c4c-0873d391e987',
    'www-authenticate': 'Basic realm="shop"',
    'content-type': 'application/json',
  };
  expect(secretHeader(headers)).toBe(undefined);
});
