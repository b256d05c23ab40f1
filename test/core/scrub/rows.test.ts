import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { errorCopy } from '../../../src/core/scrub/error-copy.js';
import { describe as describeThrown, scrub, textOf } from '../../../src/core/scrub/scrub.js';
import { tracebackOf } from '../../../src/logging/line/traceback.js';
import { Health } from 'lifesign/fetch';

/** Messages of databases and object mappers that cannot be run here, and of those that can, as texts. */
const messages: Record<string, (value: string) => string> = {
  'row of PostgreSQL': (v) => `null value in column "code" DETAIL:  Failing row contains (1, ${v}, null).`,
  'key of PostgreSQL': (v) =>
    `duplicate key value violates unique constraint "u"\nDETAIL:  Key (a, b)=(1, ${v}) already exists.`,
  'foreign key of PostgreSQL': (v) => `Key (email)=(${v}) is not present in table "people".`,
  'exclusion of PostgreSQL': (v) => `Key (a)=(${v}) conflicts with existing key (a)=(${v}).`,
  'enum of PostgreSQL': (v) => `invalid input value for enum mood: "${v}"`,
  'number of PostgreSQL': (v) => `value "${v}" is out of range for type integer`,
  'parameters of PostgreSQL': (v) => `CONTEXT: unnamed portal with parameters: $1 = '${v}'`,
  'line of COPY': (v) => `COPY people, line 3, column age: "${v}"`,
  'syntax of PostgreSQL': (v) => `syntax error at or near "${v}"`,
  'key of MySQL': (v) => `Duplicate entry '${v}' for key 'people.email'`,
  'column of MySQL': (v) => `Incorrect integer value: '${v}' for column 'age' at row 1`,
  'number of MySQL': (v) => `Truncated incorrect DOUBLE value: '${v}'`,
  'syntax of MySQL': (v) =>
    `You have an error in your SQL syntax; check the manual for the right syntax to use near '${v}' at line 1`,
  'syntax of SQLite': (v) => `near "${v}": syntax error`,
  Knex: (v) => `insert into "people" ("email") values ('${v}') - UNIQUE constraint failed: people.email`,
  'Knex, update': (v) =>
    `update \`people\` set \`email\` = '${v}', \`age\` = 12 where \`id\` = 5 - Data truncated for column 'age' at row 1`,
  MikroORM: (v) =>
    `select "p0".* from "people" as "p0" where "p0"."email" = '${v}' limit 1 - relation "people" does not exist`,
  Drizzle: (v) => `Failed query: insert into "people" ("email") values ($1)\nparams: ${v},12`,
  'TypeORM with its parameters': (v) =>
    `query failed: INSERT INTO people VALUES ($1) -- PARAMETERS: ["${v}"]`,
  Prisma: (v) =>
    `\nInvalid \`prisma.user.create()\` invocation:\n\n{\n  data: {\n    email: "${v}"\n  }\n}\n\nUnknown argument \`x\`.`,
  MongoDB: (v) =>
    `E11000 duplicate key error collection: app.people index: email_1 dup key: { email: "${v}" }`,
  'Mongoose, cast': (v) =>
    `Cast to Number failed for value "${v}" (type string) at path "age" for model "Person"`,
  'Mongoose, path': (v) =>
    `Person validation failed: age: Path \`age\` (${v}) is more than maximum allowed value (200).`,
  'Mongoose, enum': (v) =>
    `Person validation failed: kind: \`${v}\` is not a valid enum value for path \`kind\`.`,
  'SQL Server': (v) =>
    `Violation of UNIQUE KEY constraint 'UQ_email'. Cannot insert duplicate key in object 'dbo.people'. The duplicate key value is (${v}).`,
  'SQL Server, conversion': (v) =>
    `Conversion failed when converting the varchar value '${v}' to data type int.`,
  'SQL Server, truncation': (v) =>
    `String or binary data would be truncated in table 'x', column 'y'. Truncated value: '${v}'.`,
  Oracle: (v) => `ORA-00001: unique constraint (HR.U) violated, row with column values (EMAIL:'${v}')`,
  Elasticsearch: (v) =>
    `failed to parse field [age] of type [long] in document with id '1'. Preview of field's value: '${v}'`,
  Redis: (v) => `ERR unknown command 'GTE', with args beginning with: 'key' '${v}'`,
};

const letters = fc.constantFrom(...Array.from('bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ23456789'));
const part = fc.array(letters, { minLength: 9, maxLength: 12 }).map((list) => list.join(''));
const between = fc.constantFrom(' ', '@', '.', "''", '`', '-', ', ', '\n', '(', '/', '=', ';', '|', '€');

describe('values of customers in the texts of databases', () => {
  test.each(Object.entries(messages))('%s', (_name, make) => {
    fc.assert(
      fc.property(part, between, part, (one, middle, other) => {
        const text = make(one + middle + other);
        for (const around of [
          text,
          `saving failed: ${text}`,
          `${text}\n    at save (/app/x.js:1:2)`,
          JSON.stringify({ text }),
        ]) {
          const shown = scrub(around);
          expect([shown.includes(one.slice(0, 8)), shown.includes(other.slice(0, 8))], shown).toEqual([
            false,
            false,
          ]);
          expect(scrub(shown)).toBe(shown);
        }
      }),
      { numRuns: 25 },
    );
  });

  test.each([
    'duplicate key value violates unique constraint "people_email_key"',
    'null value in column "code" of relation "people" violates not-null constraint',
    'UNIQUE constraint failed: people.email',
    'relation "people" does not exist',
    "Table 'app.people' doesn't exist",
    "Unknown column 'x' in 'field list'",
    "Column 'code' cannot be null",
    'Failed query: select "id" from "people" where "id" = $1',
    'insert into "people" ("email") values ($1, ?, :name, default) returning "id"',
    'E11000 duplicate key error collection: app.people index: email_1',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'the value "fast" is not one of the modes',
    'Please select "Yes" or "No"',
    'the parameters are documented, see params.md',
    'update the settings of your account',
    'no value given for key region',
  ])('%j stays', (text) => {
    expect(scrub(text)).toBe(text);
  });
});

describe('an error of a driver', () => {
  const unique = Object.assign(
    new Error('duplicate key value, Key (email)=(bob@example.org) already exists.'),
    {
      code: '23505',
      constraint: 'people_email_key',
      table: 'people',
    },
  );

  it('is told in our words, with its code and its names', () => {
    const said = 'a value that must be unique exists already (23505 people_email_key people)';
    expect(textOf(unique)).toBe(said);
    expect(textOf(new Error(`saving failed: ${unique.message}`, { cause: unique }))).toBe(
      `saving failed: ${said}`,
    );
    expect(String(Reflect.get(Object(errorCopy(unique)), 'stack'))).toContain(`Error: ${said}\n    at `);
  });

  test.each([
    [
      { code: 'ER_DUP_ENTRY', sqlState: '23000' },
      "Duplicate entry 'bob' for key 'people.email'",
      'ER_DUP_ENTRY people.email',
    ],
    [
      { code: 'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD' },
      "Incorrect integer value: 'bob' for column `app`.`people`.`age` at row 1",
      'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD app.people.age',
    ],
    [{ code: 'ER_BAD_NULL_ERROR' }, "Column 'code' cannot be null", 'ER_BAD_NULL_ERROR code'],
    [
      { code: 'P2002', meta: { modelName: 'Person', target: ['email'] } },
      'Unique constraint failed, bob',
      'P2002 Person email',
    ],
    [
      { code: 11000, name: 'MongoServerError', keyPattern: { email: 1 }, keyValue: { email: 'bob' } },
      'E11000 dup key: { email: "bob" }',
      '11000 email',
    ],
    [{ code: '22P02' }, 'invalid input syntax for type integer: "bob"', '22P02'],
  ])('%j', (properties, message, told) => {
    expect(textOf(Object.assign(new Error(message), properties))).toMatch(
      new RegExp(`^[a-z ]+ \\(${told.replaceAll('.', '\\.')}\\)$`),
    );
  });

  it('with a message that was changed after it was thrown has the stack without the first one', () => {
    const error = Object.assign(new Error("Duplicate entry 'bob' for key 'email'"), { code: 'ER_DUP_ENTRY' });
    error.message = `insert into people values ('bob') - ${error.message}`;
    expect(tracebackOf(error, 'app')).toMatch(
      /^Error: a value that must be unique exists already \(ER_DUP_ENTRY email\)\n {4}at /,
    );
  });

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
      expect(describeThrown(new Error(error.message, { cause: error })).length).toBeLessThan(700);
    }
  });
});

describe('logData', () => {
  const error = () =>
    Object.assign(new Error('Key (email)=(bob@example.org) already exists. postgres://u:hunter2x@db/x'), {
      code: '23505',
    });

  test.each([true, false])('%s: rows in the tracebacks of the log, and nowhere else', async (logData) => {
    const records: LogRecord[] = [];
    const health = new Health({
      logData,
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
    const traceback = tracebackOf(records[0]?.error, 'health.checks');
    expect(traceback.includes('bob@example.org')).toBe(logData);
    expect(JSON.stringify(errorCopy(records[0]?.error)).includes('bob@example.org')).toBe(logData);
    expect(traceback).not.toContain('hunter2x');
    health.close();
  });
});
