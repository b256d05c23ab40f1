import { describe, expect, test, vi } from 'vitest';
import { RequestContext } from '../../../src/core/request/request.js';
import {
  isSampled,
  type Summary,
  summaryRecord,
  type SummaryAdditions,
} from '../../../src/core/request/summary.js';

function recordOf(summary: Partial<Summary> = {}, told: Partial<SummaryAdditions> = {}, error?: unknown) {
  const context = new RequestContext({ givenId: 'the-id' });
  Object.assign(context, { error, ended: context.started + 12.5, endedAt: 1_700_000_000_000 });
  return summaryRecord(
    context,
    {
      method: 'GET',
      target: '/a?b=c',
      code: 200,
      complete: true,
      agent: undefined,
      lang: undefined,
      ...summary,
    },
    { uid: 'ada', own: {}, isHealthRequest: false, withQuery: false, withTraceback: false, ...told },
  );
}

test('of a request that went well it has these fields, and nothing else', () => {
  expect(recordOf()).toEqual({
    logger: 'request.summary',
    level: 20,
    time: 1_700_000_000_000,
    fields: {
      errno: 0,
      agent: '',
      lang: '',
      method: 'GET',
      path: '/a',
      code: 200,
      uid: 'ada',
      rid: 'the-id',
      t: 13,
    },
  });
  expect(recordOf({ agent: 'curl', lang: 'de' }).fields).toMatchObject({ agent: 'curl', lang: 'de' });
});

describe('what was thrown', () => {
  const boom = new Error('boom');

  test.each([
    [500, true, boom, { level: 40, errno: 500, msg: 'boom' }],
    [503, true, boom, { level: 40, errno: 503, msg: 'boom' }],
    [200, false, boom, { level: 40, errno: 500, msg: 'boom' }],
    [499, true, boom, { level: 20, errno: 0, msg: undefined }],
    [200, false, undefined, { level: 20, errno: 0, msg: undefined }],
    [500, true, undefined, { level: 30, errno: 500, msg: undefined }],
  ])('with %i, complete %s, is told by level, errno and msg', (code, complete, error, expected) => {
    const { level, fields, msg } = recordOf({ code, complete }, {}, error);
    expect({ level, errno: fields['errno'], msg }).toEqual(expected);
  });

  test('of the connection counts where the application threw nothing', () => {
    expect(recordOf({ code: 500, error: new Error('reset') }).msg).toBe('reset');
    expect(recordOf({ code: 500, error: new Error('reset') }, {}, boom).msg).toBe('boom');
  });

  test('is in the record only where the option says so', () => {
    expect('error' in recordOf({ code: 500 }, {}, boom)).toBe(false);
    expect(recordOf({ code: 500 }, { withTraceback: true }, boom).error).toBe(boom);
  });

  test.each([
    ['{"a":1}', 'Error: {"a":1}'],
    ['{"a":1', '{"a":1'],
    ['a}', 'a}'],
    ['', ''],
  ])('as the text %j is not taken for fields', (thrown, msg) => {
    expect(recordOf({ code: 500 }, {}, thrown).msg).toBe(msg);
  });
});

test('an answer of ours that failed is no warning: the checks have told why', () => {
  expect(recordOf({ code: 500 }, { isHealthRequest: true })).toMatchObject({
    level: 20,
    fields: { errno: 500 },
  });
  expect(recordOf({ failed: true }).level).toBe(30);
  expect(recordOf({ failed: true }).fields['errno']).toBe(500);
  expect(recordOf({ failed: false }).fields['errno']).toBe(0);
});

test('an answer that broke off says so', () => {
  expect(recordOf({ cut: true }).fields['cut']).toBe(true);
  expect('cut' in recordOf({ cut: false }).fields).toBe(false);
});

test.each([
  ['/a', '/a', ''],
  ['/a?', '/a', ''],
  ['/a?b', '/a', 'b'],
  ['/a?b?c', '/a', 'b?c'],
  ['/a#b?c', '/a', ''],
  ['/a?b#c', '/a', 'b'],
  ['#', '', ''],
  ['http://h:secret@x/a?b', '/a', 'b'],
  ['/%61?b=%63', '/a', 'b=c'],
])('%s has the path %s and the query %s', (target, path, querystring) => {
  expect(recordOf({ target }, { withQuery: true }).fields).toMatchObject({ path, querystring });
  expect('querystring' in recordOf({ target }).fields).toBe(false);
});

test.each([
  '/?token=geheim',
  '/?%74oken=geheim',
  '/?x=1&password=geheim',
  '/?u=https%3A%2F%2Fu%3Ageheim%40h',
])('a secret in the query %s is not logged', (target) => {
  expect(JSON.stringify(recordOf({ target }, { withQuery: true }))).not.toContain('geheim');
});

test('fields of the application are added and replace none of ours', () => {
  const { fields } = recordOf({}, { own: { tenant: 'acme', code: 7, rid: 'forged', empty: null } });
  expect(fields).toMatchObject({ tenant: 'acme', code: 200, rid: 'the-id', empty: null });
});

test('of the endpoints a share of the successful ones is logged, and every failed one', () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  expect([true, false, 0.4, 0.5, 0.6, 0, 1].map((share) => isSampled(share, 200))).toEqual([
    true,
    false,
    false,
    false,
    true,
    false,
    true,
  ]);
  expect([true, false, 0, 0.4].map((share) => isSampled(share, 500))).toEqual([true, false, true, true]);
  expect(isSampled(0, 399)).toBe(false);
  expect(isSampled(0, 400)).toBe(true);
  random.mockRestore();
});
