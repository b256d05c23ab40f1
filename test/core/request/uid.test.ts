import { expect, test, vi } from 'vitest';
import { RequestContext } from '../../../src/core/request/request.js';
import { uidOf } from '../../../src/core/request/uid.js';

/** The uid of a request, and what went wrong. */
function read(
  request: unknown,
  { option, user }: { option?: (request: never) => unknown; user?: () => unknown } = {},
): { uid: string; errors: unknown[] } {
  const errors: unknown[] = [];
  const context = new RequestContext({ givenId: undefined });
  context.request = request;
  context.user = user;
  return { uid: uidOf(context, option, (thrown) => void errors.push(thrown)), errors };
}
const withUser = (user: unknown) => read({ user }).uid;

test.each(['id', 'uid', 'sub', 'userId', 'user_id', '_id'])('user.%s is the uid', (name) => {
  expect(withUser({ [name]: 'ada' })).toBe('ada');
  expect(withUser({ [name]: 0 })).toBe('0');
  expect(withUser({ [name]: 7n })).toBe('7');
  expect(withUser({ [name]: '', _id: 'next' })).toBe('next');
});

test('the first name that has one counts', () => {
  expect(withUser({ _id: '6', user_id: '5', userId: '4', sub: '3', uid: '2', id: '1' })).toBe('1');
  expect(withUser({ id: {}, sub: 'subject' })).toBe('subject');
});

test.each([
  ['ada', 'ada'],
  [42, '42'],
  ['x'.repeat(300), 'x'.repeat(200)],
  [true, ''],
  [null, ''],
  [undefined, ''],
  [{}, ''],
  [{ id: { toString: () => 'object' } }, ''],
  [Symbol('ada'), ''],
])('a user %o is %j', (user, uid) => {
  expect(withUser(user)).toBe(uid);
});

test.each([undefined, null, 'text', 7])('a request %j has nobody', (request) => {
  const option = vi.fn<() => string>(() => 'ada');
  expect(read(request, { option, user: () => 'grace' })).toEqual({ uid: '', errors: [] });
  expect(option).not.toHaveBeenCalled();
});

test('where the framework keeps its user comes before the request, and the option before both', () => {
  const request = { user: 'of the request', name: 'of the option' };
  expect(read(request, { user: () => ({ id: 'of the framework' }) }).uid).toBe('of the framework');
  expect(read(request, { user: () => undefined }).uid).toBe('of the request');
  expect(read({}, { user: () => undefined }).uid).toBe('');
  const option = ({ name }: typeof request) => name;
  expect(read(request, { user: () => 'of the framework', option }).uid).toBe('of the option');
});

test('an option that throws, rejects or promises gives nobody, and its error is told', async () => {
  const error = new Error('no session');
  const throwing = read(
    {},
    {
      option() {
        throw error;
      },
    },
  );
  expect(throwing).toEqual({ uid: '', errors: [error] });
  const rejecting = read({}, { option: () => Promise.reject(error) });
  await Promise.resolve();
  expect(rejecting).toEqual({ uid: '', errors: [error] });
  expect(read({}, { option: async () => 'ada' })).toEqual({ uid: '', errors: [] });
});
