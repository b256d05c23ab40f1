import { expect, test } from 'vitest';
import { isProse, looksRandom, strengthOf } from '../../../src/core/scrub/names.js';

test.each([
  ['strong', ['password', 'DB_PASS', 'PGPASSWORD', 'clientSecret', 'x-api-key', 'userpwd', 'mypass', 'jwt']],
  ['strong', ['пароль', '密码', 'contraseña', 'secret_id', 'signingKey', 'HMAC_KEY', 'creds']],
  ['weak', ['token', 'csrf_token', 'sid', 'PHPSESSID', 'signature_value', 'mytoken', 'oauth', 'sessionId']],
  ['header', ['Authorization', 'Set-Cookie', 'cookie', 'Proxy-Authorization', 'X-Hub-Signature-256']],
  [undefined, ['host', 'user', 'key', 'primary_key', 'bypass', 'compass', 'trespass', 'surpass', 'id']],
  [undefined, ['password_length', 'token_type', 'secret_name', 'tokenExpires', 'key_id', 'access_key_id']],
  [undefined, ['', '___', 'pin_count', 'author', 'monkey', 'authority']],
] as const)('%s: %j', (strength, names) => {
  expect(names.map((name) => [name, strengthOf(name)])).toEqual(names.map((name) => [name, strength]));
});

test('words of sentences about a secret are none', () => {
  expect(['must', 'Required', 'expired', 'null', 'invalid.'].filter((word) => !isProse(word))).toEqual([]);
  expect(['hunter2', 'Hk29fjQz7LmPq3Xw'].filter(isProse)).toEqual([]);
});

test('what looks made up has letters and digits, or signs', () => {
  expect(['Hk29fjQz7LmPq3Xw', 'a1b2c3d4'].filter((text) => !looksRandom(text))).toEqual([]);
  expect(['expired', 'storage'].filter(looksRandom)).toEqual([]);
});
