import { expect, it } from 'vitest';
import type { LogRecord } from 'lifesign';
import { Health, type HealthOptions } from 'lifesign/fetch';
import { turn } from '../waiting.js';

/** The uid in the summary of a request that authentication has given these properties, and what else is logged. */
async function read(
  properties: object,
  uid?: unknown,
): Promise<{ uid: unknown; errors: unknown[]; texts: unknown[] }> {
  const records: LogRecord[] = [];
  const options = { uid, logger: { log: (record: LogRecord) => void records.push(record) } };
  const handle = new Health(options as HealthOptions).wrap(() => new Response());
  await handle(Object.assign(new Request('http://localhost/'), properties));
  await turn();
  const summary = records.find(({ logger }) => logger === 'request.summary');
  const failed = records.filter(({ error }) => error !== undefined);
  return {
    uid: summary?.fields['uid'],
    errors: failed.map(({ error }) => error),
    texts: failed.map(({ msg }) => msg),
  };
}
const withUser = async (user: unknown) => (await read({ user })).uid;

it.each(['id', 'uid', 'sub', 'userId', 'user_id', '_id'])('user.%s is the uid', async (name) => {
  expect(await withUser({ [name]: 'ada' })).toBe('ada');
  expect(await withUser({ [name]: 0 })).toBe('0');
  expect(await withUser({ [name]: 7n })).toBe('7');
  expect(await withUser({ [name]: '', _id: 'next' })).toBe('next');
});

it.each([
  // The first name that has one counts.
  [{ _id: '6', user_id: '5', userId: '4', sub: '3', uid: '2', id: '1' }, '1'],
  [{ id: {}, sub: 'subject' }, 'subject'],
  ['ada', 'ada'],
  [42, '42'],
  ['x'.repeat(300), 'x'.repeat(200)],
  [true, ''],
  [null, ''],
  [undefined, ''],
  [{}, ''],
  [{ id: { toString: (): string => 'object' } }, ''],
  [Symbol('ada'), ''],
])('a user %o is %j', async (user, uid) => {
  expect(await withUser(user)).toBe(uid);
});

it('the option comes before what authentication has set', async () => {
  const request = { user: 'of the request', name: 'of the option' };
  expect(await read(request, ({ name }: typeof request) => name)).toEqual({
    uid: 'of the option',
    errors: [],
    texts: [],
  });
});

it('an option that throws, rejects or promises gives nobody, and its error is told', async () => {
  const error = new Error('no session');
  const throwing = () => {
    throw error;
  };
  const texts = ['The uid option threw'];
  expect(await read({}, throwing)).toEqual({ uid: '', errors: [error], texts });
  const rejected = await read({}, () => Promise.reject(error));
  expect(rejected).toEqual({ uid: '', errors: [error], texts: ['The uid option rejected'] });
  expect(await read({}, async () => 'ada')).toEqual({ uid: '', errors: [], texts: [] });
});

it('a user that cannot be read is nobody', async () => {
  const user = {
    get id(): string {
      throw new Error('no session');
    },
  };
  expect(await read({ user })).toEqual({ uid: '', errors: [], texts: [] });
});
