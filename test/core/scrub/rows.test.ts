import { describe, expect, it, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { errorCopy } from '../../../src/core/scrub/error-copy.js';
import { describe as describeThrown, describePublicly } from '../../../src/core/scrub/scrub.js';
import { formatTraceback } from '../../../src/logging/formatter.js';
import { Health } from 'lifesign/fetch';

describe('an error of a driver', () => {
  const unique = Object.assign(
    new Error('duplicate key value, Key (email)=(bob@example.org) already exists.'),
    {
      code: '23505',
      constraint: 'people_email_key',
      table: 'people',
    },
  );

  it.each([
    [
      { code: 'ER_DUP_ENTRY', sqlState: '23000' },
      "Duplicate entry 'bob' for key 'people.email'",
      'ER_DUP_ENTRY people.email',
    ],
    [
      { code: 'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD' },
      "Incorrect integer value: 'bob' for column `app`.`people`.`age` at row 1",
      'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
    ],
    [{ code: 'P2002', meta: { target: ['email'] } }, 'Unique constraint failed, bob', 'P2002'],
    [{ code: 11000, name: 'MongoServerError' }, 'E11000 dup key: { email: "bob" }', '11000'],
    [{ code: '22P02' }, 'invalid input syntax for type integer: "bob"', '22P02'],
  ])('%j', (properties, message, told) => {
    const error = Object.assign(new Error(message), properties);
    expect(describePublicly(error)).toMatch(
      new RegExp(`^Error: [a-z ]+ \\(${told.replaceAll('.', '\\.')}\\)$`),
    );
    expect(describePublicly(new Error(`saving failed: ${message}`, { cause: error }))).not.toContain('bob');
  });

  const database = (properties: object) =>
    Object.assign(new Error('relation "secret_salaries" …'), properties);

  it.each([
    [unique, 'Error: a value that must be unique exists already (23505 people_email_key people)'],
    [database({ code: '42P01', severity: 'ERROR' }), 'Error: the database reported an error (42P01)'],
    [database({ code: 'ER_NO_SUCH_TABLE' }), 'Error: the database reported an error (ER_NO_SUCH_TABLE)'],
    [database({ code: 'SQLITE_ERROR' }), 'Error: the database reported an error (SQLITE_ERROR)'],
    [database({ code: 'P2021', clientVersion: '7' }), 'Error: the database reported an error (P2021)'],
    [database({ name: 'MongoServerError', code: 26 }), 'Error: the database reported an error (26)'],
    [
      new TypeError('saving failed: too long', { cause: database({ code: '42P01', severity: 'ERROR' }) }),
      'TypeError: saving failed: too long',
    ],
    [
      Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' }),
      'Error: connect ECONNREFUSED 10.0.0.7:5432',
    ],
    [new RangeError('no orders since 12:00'), 'RangeError: no orders since 12:00'],
  ])('%s is %s for everyone', (error, text) => expect(describePublicly(error)).toBe(text));

  it('of any length is searched in bounded time', () => {
    for (const long of [
      "Duplicate entry '",
      'select ',
      'Key (a)=(',
      'Failed query: params: ',
      "entry 'a' for key ",
    ]) {
      const error = Object.assign(new Error(long.repeat(100_000)), { code: 'ER_DUP_ENTRY' });
      expect(describeThrown(error).length).toBeLessThan(700);
      expect(describePublicly(new Error(error.message, { cause: error })).length).toBeLessThan(700);
    }
  });
});

describe('the log', () => {
  const error = () =>
    Object.assign(new Error('Key (email)=(bob@example.org) already exists. postgres://u:hunter2x@db/x'), {
      code: '23505',
    });

  test('has no rows in its messages and tracebacks, and neither has an answer', async () => {
    const records: LogRecord[] = [];
    const health = new Health({
      logger: { log: (record) => void records.push(record) },
      summary: false,
    });
    const thrown = error();
    health.check('orders', () => {
      throw thrown;
    });
    // Twice: that the first error was logged must not show it in the second report.
    for (let time = 0; time < 2; time += 1) {
      const answer = await health.respond(new Request('http://localhost/__heartbeat__'));
      expect(await answer?.text()).not.toContain('bob@example.org');
    }
    expect(records.map(({ msg }) => msg).join('\n')).not.toContain('bob@example.org');
    const traceback = formatTraceback(records[0]?.error, 'health.checks');
    expect(traceback.includes('bob@example.org')).toBe(false);
    expect(JSON.stringify(errorCopy(records[0]?.error)).includes('bob@example.org')).toBe(false);
    expect(traceback).not.toContain('hunter2x');
    health.close();
  });
});
