import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checks } from 'lifesign';
import type { Check } from 'lifesign/checks';
import { say } from './say.js';

let thrown: unknown;
const failing = () => {
  throw thrown;
};
const ask = (...given: readonly unknown[]) => {
  const answer = given.at(-1);
  if (typeof answer === 'function') queueMicrotask(() => answer(thrown));
  return { cancel() {} };
};
const channel = { makeUnaryRequest: ask, getChannel: () => ({ getTarget: () => 'dns:hero:1' }), close() {} };

/** What is said of a database, a broker and a gRPC server whose clients throw something. */
const saidBy = (check: Check) => async (error: unknown) => {
  thrown = error;
  return (await say(check)).join();
};
const database = saidBy(checks.checkDatabaseConnected({ exec() {}, prepare: failing }));
const broker = saidBy(checks.checkBrokerConnected(failing));
const grpc = saidBy(checks.grpc(channel));

const ids = {
  unreachable: 'E001',
  full: 'E001: Cannot connect to the database: the server accepts no more connections',
  broken: 'E002',
  misconfigured: 'E003',
  exhausted: 'E022',
  other: 'E008',
} as const;

describe('the reason of a failure', () => {
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
  ] as const)('%j is %s', async (error, fault) => {
    const inner = Object.assign(new Error('?'), error);
    // Whatever wraps it.
    for (const each of [inner, new Error('Query failed', { cause: inner })]) {
      expect(await database(each)).toContain(`health.${ids[fault]}`);
    }
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
  ])('%s', async (error, text) => {
    expect((await database(error)).replace(/^Error [^:]+: [^:]+: /, '')).toMatch(text);
  });

  it.each([
    [{ address: '10.0.0.7', port: 5432 }, 'connection refused (ECONNREFUSED 10.0.0.7:5432)'],
    [{ address: '10.0.0.7' }, 'connection refused (ECONNREFUSED 10.0.0.7)'],
    [{ address: '/run/secret/pg.sock' }, 'connection refused (ECONNREFUSED pg.sock)'],
  ])('names the address, which is what an operator looks at first: %j', async (where, text) => {
    const error = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', ...where });
    for (const each of [error, new AggregateError([error])]) {
      expect(await database(each)).toBe(`Error health.E001: Cannot connect to the database: ${text}`);
    }
  });

  it('never says a user, a password or a connection string, however a driver words it', async () => {
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
      (user: string, password: string) => `amqp://${user}:${password}@broker:5672/ ACCESS_REFUSED`,
      (user: string, password: string) => `login refused for "${user}" with "${password}" SASL PLAIN`,
    );
    const code = fc.constantFrom(undefined, 'XX000', '28P01', 'ER_ACCESS_DENIED_ERROR', 'ECONNREFUSED');
    await fc.assert(
      fc.asyncProperty(secret, secret, phrase, code, async (user, password, word, given) => {
        const text = word(user, password);
        const inner = Object.assign(new Error(text), given === undefined ? {} : { code: given });
        for (const error of [inner, new Error(text, { cause: inner }), text]) {
          for (const said of [await database(error), await broker(error)]) {
            expect(said).not.toContain(user);
            expect(said).not.toContain(password);
          }
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
    async (error, text) => {
      expect(await database(error)).toBe(`Error health.E008: Database driver error: ${text}`);
    },
  );

  it('takes whatever is thrown', async () => {
    const circular = new Error('round');
    circular.cause = circular;
    const anything = fc.anything({ withNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, fc.constant(circular)), async (given) => {
        expect(await database(given)).toMatch(/^Error health\./);
      }),
    );
  });

  it.each([
    [new Error('Handshake terminated by server: 403 (ACCESS-REFUSED) with message "…"'), 'E033'],
    [Object.assign(new Error('x'), { code: 'AUTHORIZATION_VIOLATION' }), 'E033'],
    [new Error('Connection refused: Not authorized'), 'E033'],
    [Object.assign(new Error('Connection error: '), { code: 'ECONNREFUSED' }), 'E031'],
    [new Error('Heartbeat timeout'), 'E034: The broker does not respond correctly'],
    [new Error('Unexpected close'), 'E034: The broker does not respond correctly'],
    [new Error('something else'), 'E034: The broker error: Error'],
  ])('of a broker: %s', async (error, said) => {
    expect(await broker(error)).toContain(`health.${said}`);
  });

  it.each<[unknown, string]>([
    [{ code: 14, details: 'No connection established' }, 'no connection (UNAVAILABLE)'],
    [{ code: 14, details: 'connect ECONNREFUSED 10.0.0.1:1' }, 'connection refused (ECONNREFUSED)'],
    [{ code: 99, details: 'secret' }, 'the call failed (status 99)'],
    [{ code: 2, details: 'secret' }, 'the call failed (UNKNOWN)'],
    [new Error('The client has been shut down'), 'the application closed its client'],
  ])('of a gRPC server, without a word of its own: %j', async (given, text) => {
    expect(await grpc(given)).toBe(`Error health.E026: Request to gRPC server hero:1 failed: ${text}`);
  });
});
