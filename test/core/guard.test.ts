import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { boxed, isError, isPromise, catchRejection } from '../../src/core/guard.js';
import { describe as describeError } from '../../src/core/scrub/scrub.js';

const callable = Object.assign(() => {}, { then() {} });

test('what has a method then is a promise', () => {
  expect([Promise.resolve(), { then() {} }, callable].map(isPromise)).toEqual([true, true, true]);
  expect([undefined, null, 7, 'then', {}, { then: 7 }, () => {}, []].filter(isPromise)).toEqual([]);
});

describe('catchRejection', () => {
  const looked = (value: unknown) => {
    const errors: unknown[] = [];
    return { was: catchRejection(value, (thrown) => void errors.push(thrown)), errors };
  };

  test('plain values are left alone', () => {
    for (const value of [undefined, true, false, null, 7, 'text', {}, []])
      expect(looked(value)).toEqual({ was: false, errors: [] });
  });

  test('a rejection goes where it is told, a value nowhere', async () => {
    const error = new Error('late');
    const rejected = looked(Promise.reject(error));
    const resolved = looked(Promise.resolve(error));
    await Promise.resolve();
    expect([rejected, resolved]).toEqual([
      { was: true, errors: [error] },
      { was: true, errors: [] },
    ]);
  });

  test('what throws when it is looked at, or when it is asked, is told too', () => {
    const error = new Error('hostile');
    const thrower = () => {
      throw error;
    };
    expect(looked({ then: thrower })).toEqual({ was: true, errors: [error] });
    expect(looked(Object.defineProperty({}, 'then', { get: thrower }))).toEqual({
      was: true,
      errors: [error],
    });
  });
});

test('boxed gives what a value or a promise comes to, and is not kept by a promise of itself', async () => {
  expect(await boxed(7)).toEqual({ value: 7 });
  expect(await boxed(Promise.resolve(7))).toEqual({ value: 7 });
  await expect(boxed(Promise.reject(new Error('no')))).rejects.toThrow('no');
  const itself = { then: (resolve: (value: unknown) => void) => resolve(itself) };
  expect((await boxed(itself)).value).toBe(itself);
});

test('errors of another realm are errors: Jest has a realm of its own', () => {
  const foreign: unknown = runInNewContext('Object.assign(new TypeError("gone"), { code: "ENOENT" })');
  expect([new Error('x'), foreign].map(isError)).toEqual([true, true]);
  expect([{ message: 'x' }, 'Error', null, undefined].filter(isError)).toEqual([]);
  expect(describeError(foreign)).toBe('TypeError: gone');
});
