import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorCopy } from '../../../src/core/scrub/error-copy.js';

const json = (thrown: unknown) => JSON.parse(JSON.stringify(errorCopy(thrown)));

describe('what was thrown and is no error', () => {
  test.each([
    ['redis://:hunter2@cache', 'redis://***@cache'],
    [7, 7],
    [true, true],
    [null, null],
    [undefined, undefined],
    [7n, '7'],
    [Symbol('s'), 'Symbol(s)'],
    [{}, '[object Object]'],
    [{ code: 'E1', secret: 'hunter2', note: 'left out' }, { code: 'E1' }],
    [
      { message: 'redis://:hunter2@cache', status: 500, ok: false },
      { message: 'redis://***@cache', status: 500, ok: false },
    ],
  ])('%o is %j', (thrown, copy) => {
    expect(errorCopy(thrown)).toEqual(copy);
  });
});

describe('the copy of an error', () => {
  class DriverError extends TypeError {
    get code() {
      return 'ECONNREFUSED';
    }
  }

  test('is of its class, with a code that is a getter, and shows itself as it did', () => {
    const copy = errorCopy(new DriverError('cannot open redis://:hunter2@cache'));
    expect(copy).toHaveProperty('constructor', DriverError);
    expect(String(copy)).toBe('TypeError: cannot open redis://***@cache');
    expect(json(new DriverError('x'))).toMatchObject({
      type: 'DriverError',
      name: 'TypeError',
      message: 'x',
      code: 'ECONNREFUSED',
      stack: expect.stringContaining('TypeError: x'),
    });
    expect(inspect(copy)).not.toContain('hunter2');
  });

  test('without a text is shown by its name, and a name of its own is kept', () => {
    const named = Object.assign(new Error(''), { name: 'Odd' });
    expect(String(errorCopy(named))).toBe('Odd');
    expect((errorCopy(named) as Error).name).toBe('Odd');
    expect(Object.keys(errorCopy(named) as object)).toEqual([]);
  });

  test('keeps numbers, truths and texts that help, and calls no getter of the error itself', () => {
    const error = Object.assign(new Error('x'), {
      errno: -111,
      fatal: true,
      host: 'db',
      password: 'hunter2',
      pin: 1234,
      sql: 'select 1',
      config: { password: 'hunter2' },
    });
    Object.defineProperty(error, 'status', {
      enumerable: true,
      get() {
        throw new Error('called');
      },
    });
    const { stack: _stack, ...copy } = json(error);
    expect(copy).toEqual({
      type: 'Error',
      name: 'Error',
      message: 'x',
      errno: -111,
      fatal: true,
      host: 'db',
    });
  });

  test('has its causes and its errors, bounded, and turns in no circle', () => {
    const circle = new Error('outer', { cause: new Error('inner') });
    Object.assign(circle.cause as Error, { cause: circle });
    expect(json(circle)).toMatchObject({
      message: 'outer',
      cause: { message: 'inner', cause: 'Error: outer' },
    });
    const many = new AggregateError(
      Array.from({ length: 12 }, (_, index) => new Error(`e${index}`)),
      'all',
    );
    expect(json(many).errors).toHaveLength(10);
    let deep = new Error('0');
    for (let level = 1; level < 9; level += 1) deep = new Error(String(level), { cause: deep });
    expect(JSON.stringify(json(deep)).match(/"cause"/g)).toHaveLength(6);
    expect(json(deep).cause.cause.cause.cause.cause.cause).toBe('Error: 2');
  });

  test('of an odd class is a plain error', () => {
    class Leaky extends Error {}
    Object.assign(Leaky.prototype, { connection: 'redis://:hunter2@cache' });
    expect(Object.getPrototypeOf(errorCopy(new Leaky('x')))).toBe(Error.prototype);
    const withoutClass = Object.setPrototypeOf(new Error('x'), null);
    expect(() => errorCopy(withoutClass)).not.toThrow();
    const odd = Object.assign(new Error('x'), { constructor: 7 });
    expect(json(odd)).toMatchObject({ type: 'Error', message: 'x' });
  });
});

const secret = 'hunter2SECRETxyz';
const text = fc.constantFrom(
  `postgres://app:${secret}@db`,
  `password=${secret}`,
  `Bearer ${secret}1`,
  'fine',
);
/** Anything under a name of any kind. */
const own = fc.dictionary(
  fc.constantFrom(...'config command request password token apiKey sql body'.split(' ')),
  fc.oneof(
    fc.constantFrom<unknown>(secret, 1, true, null, [secret], new Map([[secret, secret]])),
    fc.dictionary(fc.constantFrom('headers', 'Authorization', 'args', 'toJSON'), fc.constant(secret)),
  ),
  { maxKeys: 4 },
);
const errors = fc.letrec<{ error: Error }>((tie) => ({
  error: fc
    .tuple(text, own, fc.option(tie('error'), { maxDepth: 4, nil: undefined }), fc.boolean())
    .map(([message, members, cause, many]) =>
      Object.assign(
        many ? new AggregateError([cause, new Error(message)], message) : new TypeError(message, { cause }),
        members,
      ),
    ),
})).error;

describe('the copy of anything', () => {
  test('has no secret, and never throws', () => {
    fc.assert(
      fc.property(errors, (error) => {
        const copy = errorCopy(error);
        expect(`${JSON.stringify(copy)} ${inspect(copy, { depth: 20, showHidden: true })}`).not.toContain(
          secret,
        );
      }),
      { numRuns: 300 },
    );
    const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
    revoke();
    expect(String(errorCopy(proxy))).toEqual(expect.any(String));
    fc.assert(fc.property(fc.anything(), (thrown) => void JSON.stringify(errorCopy(thrown))));
    expect(json(Object.assign(new Error('x'), { errors: 'a' }))).not.toHaveProperty('errors');
  });

  test('is bounded however much there is', () => {
    let deep: unknown = new Error('bottom');
    for (let depth = 0; depth < 10_000; depth += 1) deep = new Error('x'.repeat(5000), { cause: deep });
    const wide = new AggregateError(
      Array.from({ length: 10_000 }, () => deep),
      'y'.repeat(1_000_000),
    );
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]));
    for (const error of [deep, wide, Object.assign(new Error('z'), many)])
      expect(JSON.stringify(errorCopy(error)).length).toBeLessThan(400_000);
  });
});
