import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { unreachable } from '../../src/command/probe.js';

const failure = (code: string, message = `connect ${code}`, more: object = {}) =>
  Object.assign(new Error(message), { code, ...more });
const openssl = (reason: string) =>
  `write EPROTO 20402588FFFF0000:error:0A00010B:SSL routines:ssl3_get_record:${reason}:../deps/openssl/ssl3_record.c:350:\n`;

test.each([
  [failure('ENOTFOUND', '', { hostname: 'db' }), 'the host name does not exist (ENOTFOUND db)'],
  [failure('EAI_AGAIN', '', { hostname: 'db' }), 'the host name cannot be looked up now (EAI_AGAIN db)'],
  [
    failure('EHOSTUNREACH', '', { address: '10.0.0.1', port: 80 }),
    'there is no route to the host (EHOSTUNREACH 10.0.0.1:80)',
  ],
  // A host with several addresses.
  [
    failure('ECONNREFUSED', '', {
      errors: [
        { address: '::1', port: 80 },
        { address: '127.0.0.1', port: 80 },
      ],
    }),
    'the connection was refused, nothing is listening there (ECONNREFUSED ::1:80)',
  ],
  [failure('ECONNRESET', 'socket hang up'), 'the server closed the connection (ECONNRESET)'],
  [
    failure('EACCES', '', { address: '/run/a.sock' }),
    'the user of this command may not connect to it (EACCES /run/a.sock)',
  ],
  [failure('HPE_INVALID_CONSTANT'), 'the server does not speak HTTP on that port (HPE_INVALID_CONSTANT)'],
  [
    failure('EPROTO', openssl('wrong version number')),
    'the server does not speak TLS on that port, try http:// (EPROTO: wrong version number)',
  ],
  [
    failure('EPROTO', openssl('tlsv1 alert protocol version')),
    'client and server cannot agree on TLS (EPROTO: tlsv1 alert protocol version)',
  ],
  [
    failure('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', openssl('tlsv13 alert certificate required')),
    'the server asks for a client certificate, and this command has none (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: tlsv13 alert certificate required)',
  ],
  [failure('ERR_SSL_UNSUPPORTED', ''), 'client and server cannot agree on TLS (ERR_SSL_UNSUPPORTED)'],
  [
    failure('ERR_TLS_CERT_ALTNAME_INVALID'),
    'the certificate is for other host names (ERR_TLS_CERT_ALTNAME_INVALID); --insecure accepts it',
  ],
  [new Error('another'), undefined],
  [failure('HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'), undefined],
])('%s', (error, sentence) => {
  expect(unreachable(error)).toBe(sentence);
});

test.each([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'INVALID_CA',
])('a certificate: %s', (code) => {
  expect(unreachable(failure(code))).toBe(`the certificate is not trusted (${code}); --insecure accepts it`);
  expect(unreachable(failure(code), '')).toBe(`the certificate is not trusted (${code})`);
});

test('whatever OpenSSL says, the sentence is one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(':', '\n', 'a', ' ', '\u001b') }), (reason) => {
      expect(unreachable(failure('EPROTO', openssl(reason)))).toMatch(
        /^client and server cannot agree on TLS \(EPROTO[^\n]*\)$/,
      );
    }),
  );
});
