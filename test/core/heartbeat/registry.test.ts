import { describe, expect, test } from 'vitest';
import type { CheckResult } from 'lifesign';
import { CheckLog } from '../../../src/core/heartbeat/check-log.js';
import { Registry } from '../../../src/core/heartbeat/registry.js';

const registry = (cacheFor = 0, checkOptions = {}) =>
  new Registry({ cacheFor, checkOptions, coalesce: false });
const check = () => [];

describe('the registry', () => {
  test('has its checks in their order, and the same list until one is added', () => {
    const made = registry();
    expect(made.checks).toEqual([]);
    made.add('10', check);
    made.add('2', check);
    const { checks } = made;
    expect(checks.map(({ name, key }) => [name, key])).toEqual([
      ['10', '"10"'],
      ['2', '"2"'],
    ]);
    expect(made.checks).toBe(checks);
    made.add('__proto__', check);
    expect(made.checks).toHaveLength(3);
    expect(checks).toHaveLength(2);
  });

  test.each([undefined, '', 7, null])('refuses the name %j', (name) => {
    expect(() => registry().add(name, check)).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_CHECK_NAME' }),
    );
  });

  test.each([undefined, {}, 'check'])('refuses the check %j', (value) => {
    expect(() => registry().add('a', value)).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_CHECK_FUNCTION' }),
    );
  });

  test('refuses a name that is there, also after it was scrubbed and cut', () => {
    const made = registry();
    made.add('open redis://:one@cache', check);
    expect(() => made.add('open redis://:two@cache', check)).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_CHECK_DUPLICATE' }),
    );
    made.add(`${'n'.repeat(200)}a`, check);
    expect(() => made.add(`${'n'.repeat(200)}b`, check)).toThrow('is already registered');
    made.add('n'.repeat(200), check);
  });

  test('takes options where it is added, then by name, then those of all', () => {
    const made = registry(50, { a: { timeout: 1, cacheFor: 0, maxLevel: 'info' }, b: { timeout: 2 } });
    made.add('a', check, { timeout: 3 });
    made.add('b', check);
    made.add('c', check);
    made.add('toString', check);
    const seen = made.checks.map(({ name, timeout, maxLevel, cache }) => [
      name,
      timeout,
      maxLevel,
      cache !== undefined,
    ]);
    expect(seen).toEqual([
      ['a', 3, 20, false],
      ['b', 2, 50, true],
      ['c', undefined, 50, true],
      ['toString', undefined, 50, true],
    ]);
  });
});

describe('what the log says of a heartbeat', () => {
  const message = (level: 10 | 30 | 50, rest = {}) => ({
    level,
    text: 't',
    id: 'a.X',
    hint: undefined,
    ...rest,
  });
  const result = (rest: Partial<CheckResult>): CheckResult => ({
    name: 'storage',
    key: '"storage"',
    level: 30,
    status: 'warning',
    failed: true,
    messages: [message(30)],
    duration: 1,
    run: 1,
    mark: { announced: false, logged: false },
    ...rest,
  });
  const records = (results: readonly CheckResult[], rid?: string) => [
    ...new CheckLog(60_000).records(results, rid),
  ];

  test('is a record for each message, with the check, the request and the hint', () => {
    const error = new Error('x');
    expect(records([result({ messages: [message(30, { hint: 'look' }), message(10)], error })], 'r')).toEqual(
      [
        {
          logger: 'health.checks',
          level: 30,
          time: expect.any(Number),
          fields: { check: 'storage', rid: 'r', hint: 'look' },
          msg: 'a.X: t',
          error,
        },
        {
          logger: 'health.checks',
          level: 10,
          time: expect.any(Number),
          fields: { check: 'storage', rid: 'r' },
          msg: 'a.X: t',
          error,
        },
      ],
    );
    expect(records([result({})])[0]?.fields).toEqual({ check: 'storage' });
  });

  test('has the fields of a message, which replace none of ours', () => {
    const fields = { used: 93, check: 'mine', rid: 'forged', hint: 'forged' };
    expect(records([result({ messages: [message(30, { fields, hint: 'look' })] })], 'r')[0]?.fields).toEqual({
      used: 93,
      check: 'storage',
      rid: 'r',
      hint: 'look',
    });
  });

  test('is no worse than the report: a level that is capped there is capped here', () => {
    const capped = result({ level: 30, messages: [message(50), message(10)] });
    expect(records([capped]).map(({ level }) => level)).toEqual([30, 10]);
    // All of its messages are silenced, or there is none above it.
    expect(records([result({ level: 0, messages: [message(50)] })]).map(({ level }) => level)).toEqual([50]);
  });

  test('is said once of a result that is served again', () => {
    const once = result({});
    expect(records([once, { ...once, repeated: true }])).toHaveLength(1);
    expect(records([once])).toHaveLength(0);
  });
});
