import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FormattableRecord, JsonLogFormatter } from 'lifesign/logging';
import recorded from './recorded.json' with { type: 'json' };
import { parseLine } from './schemas.js';
import { usualSummary } from './usual-summary.js';
import { codePoint } from '../core/code-point.js';

const identity = { hostname: 'HOSTNAME', pid: 4242 };
const formatter = new JsonLogFormatter({ loggerName: 'acme', ...identity });
const base = { logger: 'mylogger', level: 20, time: 1_700_000_000_123, fields: {} } as const;
const digits = (time: number) => /"Timestamp":(-?\d+),/.exec(formatter.format({ ...base, time }))?.[1];
const fieldsOf = (record: Partial<FormattableRecord>) =>
  parseLine(formatter.format({ ...base, ...record })).Fields;

function pay(): void {}

describe('lines as recorded', () => {
  for (const { what, loggerName, record, line } of recorded.formatter) {
    it(what, () => {
      const made = new JsonLogFormatter({ loggerName, ...identity }).format(record);
      expect(parseLine(made)).toEqual(JSON.parse(line));
    });
  }
});

it('a summary with a field of another type is JSON all the same', () => {
  for (const name of Object.keys(usualSummary)) {
    const fields = { ...usualSummary, [name]: null };
    expect(fieldsOf({ fields })).toEqual(fields);
  }
});

it('the schemas are in the package', () => {
  const require = createRequire(import.meta.url);
  for (const name of ['mozlog', 'request-summary']) {
    expect(require(`lifesign/schemas/${name}.schema.json`)).toMatchObject({ $id: `${name}.schema.json` });
  }
  const { files } = require('lifesign/package.json') as { files: string[] };
  expect(files).toContain('schemas');
});

describe('the envelope', () => {
  it('is this text', () => {
    expect(formatter.format({ ...base, fields: { order: 7 }, msg: 'paid' })).toBe(
      '{"Timestamp":1700000000123000000,"Type":"mylogger","Logger":"acme","Hostname":"HOSTNAME",' +
        '"EnvVersion":"2.0","Severity":6,"Pid":4242,"Fields":{"order":7,"msg":"paid"}}',
    );
  });

  it('has the host and the process without being told', () => {
    const line = JSON.parse(new JsonLogFormatter().format(base));
    expect(line).toMatchObject({ Logger: 'lifesign', Pid: process.pid });
    expect(line.Hostname).not.toBe('');
  });

  it('has every digit of the time, to the microsecond', () => {
    expect(digits(1_794_714_244_106)).toBe('1794714244106000000');
    expect(digits(1_794_714_244_106.25)).toBe('1794714244106250000');
    expect(digits(0)).toBe('0');
    expect(digits(-1.5)).toBe('-1500000');
    for (const time of [NaN, Infinity, 1e300]) expect(digits(time)).toBe('0');
  });

  it('changes with logger and level from line to line', () => {
    const lines = (['a', 'b', 'a'] as const).flatMap((logger) =>
      ([10, 20, 30, 40, 50] as const).map((level) => parseLine(formatter.format({ ...base, logger, level }))),
    );
    expect(lines.map(({ Type, Severity }) => `${Type}${Severity}`).join(' ')).toBe(
      'a7 a6 a4 a3 a2 b7 b6 b4 b3 b2 a7 a6 a4 a3 a2',
    );
  });
});

describe('fields', () => {
  const circular: Record<string, unknown> = { name: 'loop' };
  circular['self'] = circular;
  const throwing = {
    fine: 1,
    get bad(): never {
      throw new Error('getter');
    },
  };

  for (const [what, value, shown] of [
    ['a BigInt', 12n, '12'],
    ['a function', pay, '[function pay]'],
    ['a function without a name', (() => () => {})(), '[function anonymous]'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['NaN', NaN, 'NaN'],
    ['Infinity', -Infinity, '-Infinity'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(NaN), 'Invalid Date'],
    ['a Buffer', Buffer.from('secret'), '[6 bytes]'],
    ['an ArrayBuffer', new ArrayBuffer(3), '[3 bytes]'],
    ['an Error', new TypeError('no password=hunter2'), 'TypeError: no password=***'],
    ['a Map', new Map([['a', 1]]), '{"a":1}'],
    ['a Set', new Set([1, 'b']), '[1,"b"]'],
    ['a list', [1, 'a', null], '[1,"a",null]'],
    ['an object', { a: { b: [1n] } }, '{"a":{"b":["1"]}}'],
    ['a URL', new URL('http://h/x'), 'http://h/x'],
    ['a circular object', circular, '{"name":"loop","self":"[circular]"}'],
    ['an object that throws', { inner: throwing }, '[cannot be shown]'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ] as const) {
    it(`${what} becomes text`, () => expect(fieldsOf({ fields: { value } })).toEqual({ value: shown }));
  }

  it('scalars stay what they are, undefined is left out', () => {
    const fields = { text: 'a', number: 1.5, yes: true, no: false, nothing: null, missing: undefined };
    expect(fieldsOf({ fields })).toEqual({ text: 'a', number: 1.5, yes: true, no: false, nothing: null });
  });

  it('a structure without end stays short', () => {
    let deep: unknown = 'bottom';
    for (let i = 0; i < 1000; i += 1) deep = { deep };
    const wide = Array.from({ length: 50 }, () =>
      Array.from({ length: 50 }, () => ({ text: 'x'.repeat(100) })),
    );
    const { deep: one, wide: two } = fieldsOf({ fields: { deep, wide } });
    expect(one).toContain('[…]');
    expect(String(two).length).toBeLessThan(10_000);
  });

  it('that throw when they are read take the place of their record', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const fields of [throwing, proxy])
      expect(fieldsOf({ fields, msg: 'x' })).toEqual({ msg: 'a log record that cannot be shown' });
  });

  it('of a summary are all that was given, also where they are more or other than usual', () => {
    // Few values, so that neighbours often agree in some fields and differ in others.
    const text = fc.constantFrom('', 'a', 'a"', 'é', '/"\\\n\u2028', '\u0085');
    const value = fc.oneof(text, fc.constantFrom(0, 200, 1.5, null, true));
    const odd = fc.dictionary(fc.constantFrom(...Object.keys(usualSummary), 'msg', 'more'), value, {
      maxKeys: 3,
    });
    fc.assert(
      fc.property(odd, fc.subarray(Object.keys(usualSummary), { maxLength: 1 }), (given, [left]) => {
        const fields = Object.fromEntries(
          Object.entries({ ...usualSummary, ...given }).filter(([key]) => key !== left),
        );
        expect(Object.entries(fieldsOf({ fields }))).toEqual(Object.entries(fields));
      }),
      { numRuns: 500 },
    );
  });
});

describe('an exception', () => {
  it('gives error and traceback, escaped and without secrets', () => {
    const cause = new Error('connect postgres://app:hunter2@db/acme');
    const error = new TypeError('first\nsecond \u001b[31m token=abc', { cause });
    const line = formatter.format({ ...base, level: 40, msg: 'failed', error });
    const { Fields, Severity } = parseLine(line);
    expect(Severity).toBe(3);
    expect(Fields['msg']).toBe('failed');
    expect(Fields['error']).toBe('TypeError: first second \u001b[31m token=***');
    expect(Fields['traceback']).toMatch(/^TypeError: first\nsecond .*\n {4}at /s);
    expect(Fields['traceback']).toContain('Caused by: Error: connect postgres://***@db/acme');
    expect(line).not.toMatch(/hunter2|token=abc/);
    expect(line).not.toContain('\u001b');
  });

  it('wins over fields of the same names, and each is there once', () => {
    const fields = { error: 'old', traceback: 'old', msg: 'old', other: 'kept' };
    expect(formatter.format({ ...base, fields, msg: 'new', error: 'thrown' })).toContain(
      '"Fields":{"other":"kept","msg":"new","error":"thrown","traceback":"thrown"}',
    );
    expect(fieldsOf({ fields: { error: 'old', traceback: 'old' } })).toEqual({
      error: 'old',
      traceback: 'old',
    });
  });

  it.each(['health', 'health.checks'])('that %s tells was not caught by anybody', (logger) =>
    expect(fieldsOf({ logger, error: 'thrown' })['traceback']).toBe('Uncaught exception:\nthrown'),
  );

  it.each(['app.log', 'acme.health', 'healthy', 'myhealth.checks', ''])('that %s tells was', (logger) =>
    expect(fieldsOf({ logger, error: 'thrown' })['traceback']).toBe('thrown'),
  );

  for (const [what, thrown] of [
    ['a string', 'just text'],
    ['null', null],
    ['an object', { code: 1 }],
    [
      'an object that throws',
      {
        toString: () => {
          throw new Error('no');
        },
      },
    ],
    [
      'an error with itself as cause',
      (() => {
        const e = new Error('x');
        e.cause = e;
        return e;
      })(),
    ],
    ['an error without a stack', Object.assign(new Error('x'), { stack: undefined })],
    [
      'an error whose stack throws',
      Object.defineProperty(new Error('x'), 'stack', {
        get() {
          throw new Error('no');
        },
      }),
    ],
    [
      'a revoked proxy',
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
    ],
    ['a stack of a megabyte', Object.assign(new Error('x'), { stack: 'a.'.repeat(500_000) })],
  ] as const) {
    it(`${what} breaks nothing`, () => {
      const Fields = fieldsOf({ error: thrown });
      expect(Object.keys(Fields)).toEqual(['error', 'traceback']);
      expect(String(Fields['traceback']).length).toBeLessThan(50_000);
    });
  }
});

describe('whatever comes', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
    withBoxedValues: true,
  });
  const text = fc.oneof(fc.string({ unit: codePoint }), fc.string(), fc.constant('\u2028\u2029\u0085\n'));

  it('is one line that fits the schema', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        text.filter((name) => name !== 'request.summary'),
        fc.oneof(fc.integer(), fc.double()),
        fc.double(),
        fc.dictionary(text, anything),
        anything,
        anything,
        (logger, level, time, fields, msg, error) => {
          parseLine(formatter.format({ logger, level, time, fields, msg, error }));
        },
      ),
      { numRuns: 500 },
    );
  });

  const refuse = (): never => {
    throw new Error('no');
  };
  /** They throw wherever they are touched: fast-check cannot hold them. */
  const hostile: readonly (() => unknown)[] = [
    () => new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse }),
    () => new Proxy([1], { get: refuse }),
    () => Object.defineProperty({}, 'msg', { get: refuse, enumerable: true }),
    () => ({ toString: refuse, valueOf: refuse, toJSON: refuse, [Symbol.toPrimitive]: refuse }),
  ];
  const odd = fc.oneof(
    fc.constantFrom(...hostile),
    anything.map((value) => () => value),
  );

  it('is one line from callers without types, whatever record and options are', { timeout: 60_000 }, () => {
    const names = ['logger', 'level', 'time', 'fields', 'msg', 'error', 'loggerName', 'hostname', 'pid'];
    fc.assert(
      fc.property(fc.tuple(...names.map(() => odd)), odd, (makers, other) => {
        const given = Object.fromEntries(makers.map((make, index) => [names[index], make()])) as never;
        const made = new JsonLogFormatter(given);
        for (const record of [given, other() as never]) parseLine(made.format(record));
        // Nothing of a bad record stays behind.
        expect(parseLine(made.format(base))).toMatchObject({ Type: 'mylogger', Severity: 6, Fields: {} });
      }),
      { numRuns: 500 },
    );
    parseLine(new JsonLogFormatter(null as never).format(null as never));
  });

  it('keeps every text as it was', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (fields) => {
        const seen = fieldsOf({ fields });
        expect(Object.entries(seen)).toEqual(Object.entries(fields));
      }),
      { numRuns: 500 },
    );
  });
});
