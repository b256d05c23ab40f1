import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMissingTable, reasonOf } from '../../src/checks/reasons.js';
import { describe as describeThrown } from '../../src/core/scrub/scrub.js';

describe('reasonOf', () => {
  it.each([
    [{ code: '28P01', message: 'password authentication failed for user "u"' }, 'misconfigured'],
    [{ code: 'ER_ACCESS_DENIED_ERROR', message: "Access denied for user 'u'@'h'" }, 'misconfigured'],
    [{ code: '3D000', message: 'database "d" does not exist' }, 'misconfigured'],
    [{ message: 'WRONGPASS invalid username-password pair or user is disabled.' }, 'misconfigured'],
    [{ message: 'NOPERM User u has no permissions to run the command' }, 'misconfigured'],
    [{ code: 'ECONNREFUSED' }, 'unreachable'],
    [{ code: 'ENOTFOUND' }, 'unreachable'],
    [{ code: '53300' }, 'full'],
    [{ code: '57P03' }, 'unreachable'],
    [{ message: 'LOADING Redis is loading the dataset in memory' }, 'unreachable'],
    [{ message: 'timeout exceeded when trying to connect' }, 'exhausted'],
    [{ code: '57P01' }, 'broken'],
    [{ code: 'PROTOCOL_CONNECTION_LOST' }, 'broken'],
    [{ message: 'Connection terminated unexpectedly' }, 'broken'],
    [{ message: 'Cannot use a pool after calling end on the pool' }, 'broken'],
    [{ code: 'XX000', message: 'something new' }, 'other'],
    [{ code: '08P01', message: 'no more connections allowed (max_client_conn)' }, 'full'],
    [{ code: '08P01', message: 'query_wait_timeout' }, 'unreachable'],
    [{ code: '08P01', message: 'no such database: orders' }, 'misconfigured'],
    [{ code: '08P01', message: 'no such user: bob' }, 'misconfigured'],
    [{ code: 'HANDSHAKE_SSL_ERROR', message: 'self-signed certificate' }, 'misconfigured'],
    [{ code: 'HANDSHAKE_SSL_ERROR', message: 'ssl3_get_record:wrong version number' }, 'misconfigured'],
    [{ code: '25P02', message: 'current transaction is aborted, commands ignored' }, 'broken'],
  ])('%j is %s', (error, fault) => {
    expect(reasonOf(Object.assign(new Error('?'), error)).fault).toBe(fault);
    // Whatever wraps it.
    const wrapped = Object.assign(new Error('Query failed'), { cause: Object.assign(new Error('?'), error) });
    expect(reasonOf(wrapped).fault).toBe(fault);
  });

  it.each([
    [
      Object.assign(new Error('self-signed certificate'), { code: 'HANDSHAKE_SSL_ERROR' }),
      /certificate is not trusted/,
    ],
    [
      Object.assign(new Error('wrong version number'), { code: 'HANDSHAKE_SSL_ERROR' }),
      /cannot agree on TLS/,
    ],
    [Object.assign(new Error('write EPROTO'), { code: 'EPROTO' }), /cannot agree on TLS \(EPROTO\)/],
    [
      Object.assign(new Error('current transaction is aborted'), { code: '25P02' }),
      /transaction that failed.*\(25P02\)/,
    ],
    [new DOMException('The operation was aborted due to timeout', 'TimeoutError'), /^no answer in time/],
    [new DOMException('This operation was aborted', 'AbortError'), /^no answer in time/],
    [new Error('aborted'), /^the application closed its client$/],
    [new Error('the build was aborted by the user interface'), /^(?!the application closed)/],
  ])('%s', (error, text) => {
    expect(reasonOf(error).text).toMatch(text);
  });

  it('names the address, which is what an operator looks at first', () => {
    const error = Object.assign(new Error('connect'), {
      code: 'ECONNREFUSED',
      address: '10.0.0.7',
      port: 5432,
    });
    expect(reasonOf(error).text).toBe('connection refused (ECONNREFUSED 10.0.0.7:5432)');
    expect(reasonOf(new AggregateError([error])).text).toBe(
      'connection refused (ECONNREFUSED 10.0.0.7:5432)',
    );
  });

  it('never says a user, a password or a connection string, however a driver words it', () => {
    const secret = fc.stringMatching(/^[a-zA-Z0-9]{8,20}$/).map((text) => `Zq${text}`);
    const phrase = fc.constantFrom(
      (user: string) => `password authentication failed for user "${user}"`,
      (user: string) => `the user ${user} may not do this`,
      (user: string, password: string) => `cannot connect to postgres://${user}:${password}@host/base`,
      (user: string) => `Access denied for user '${user}'@'host' (using password: YES)`,
      (user: string) => `role "${user}" is not permitted to log in`,
      (user: string) => `NOPERM User ${user} has no permissions to run the 'ping' command`,
      (_user: string, password: string) => `bad settings: password=${password}; host=h`,
      (_user: string, password: string) => `bad settings: {"password":"${password}"}`,
    );
    const code = fc.constantFrom(undefined, 'XX000', '28P01', 'ER_ACCESS_DENIED_ERROR', 'ECONNREFUSED');
    fc.assert(
      fc.property(secret, secret, phrase, code, (user, password, say, given) => {
        const inner = Object.assign(
          new Error(say(user, password)),
          given === undefined ? {} : { code: given },
        );
        for (const error of [inner, new Error(say(user, password), { cause: inner }), say(user, password)]) {
          const { text } = reasonOf(error);
          expect(text).not.toContain(user);
          expect(text).not.toContain(password);
        }
      }),
    );
  });

  class DriverError extends Error {}

  it.each([
    [Object.assign(new DriverError('something new'), { code: 'XX000' }), 'DriverError (XX000)'],
    [new DriverError('MISCONF Redis is configured to save RDB snapshots'), 'DriverError (MISCONF)'],
    [new Error('the query of bob'), 'Error'],
    ['the query of bob', 'Error'],
  ])(
    'of what it does not know it says the class and the code, the rest is for the log: %s',
    (error, text) => {
      expect(reasonOf(error)).toEqual({ fault: 'other', text, fields: { error: describeThrown(error) } });
    },
  );

  it('takes whatever is thrown', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(typeof reasonOf(thrown).text).toBe('string');
        isMissingTable(thrown);
      }),
    );
    const circular = new Error('round');
    circular.cause = circular;
    expect(reasonOf(circular).fault).toBe('other');
  });
});
