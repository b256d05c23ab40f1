import { describe, expect, test, vi } from 'vitest';
import { requestId } from 'lifesign';
import {
  currentRequest,
  outsideRequest,
  RequestContext,
  runInRequest,
} from '../../../src/core/request/request.js';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const idOf = (given: string | undefined) => new RequestContext({ givenId: given }).id;

describe('the id of a request', () => {
  test.each(['r', '!~', 'x'.repeat(200), 'a,b'])('%s is kept', (given) => {
    expect(idOf(given)).toBe(given);
  });

  test.each([undefined, '', ' ', 'a b', 'a\n', '\na', 'é', '\x7f', 'x'.repeat(201)])(
    '%j is replaced by a new one',
    (given) => {
      expect(idOf(given)).toMatch(uuid);
    },
  );

  test('of a header that came twice is the first one', () => {
    expect(idOf('a, b, c')).toBe('a');
  });

  test('is read or made once, and only when somebody asks', () => {
    const given = vi.fn<() => undefined>();
    const context = new RequestContext({
      get givenId() {
        return given();
      },
    });
    expect(given).not.toHaveBeenCalled();
    expect(context.id).toBe(context.id);
    expect(given).toHaveBeenCalledTimes(1);
    expect(idOf(undefined)).not.toBe(idOf(undefined));
  });

  test('is a random UUID, and no two are alike', () => {
    const ids = Array.from({ length: 1000 }, () => idOf(undefined));
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(uuid);
    // Each digit but that of the version comes up everywhere.
    for (const place of Array.from({ length: 36 }, (_, index) => index)) {
      const digits = new Set(ids.map((id) => id[place]));
      expect(digits.size).toBe([8, 13, 14, 18, 23].includes(place) ? 1 : place === 19 ? 4 : 16);
    }
  });
});

test('the first end of a request counts', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  const context = new RequestContext({ givenId: 'r' });
  expect(context).toMatchObject({ started: performance.now(), ended: 0, endedAt: 0, propagated: true });
  vi.advanceTimersByTime(30);
  context.end();
  vi.advanceTimersByTime(30);
  context.end();
  expect(context.ended - context.started).toBe(30);
  expect(context.endedAt).toBe(1_700_000_000_030);
  vi.useRealTimers();
});

describe('code below a request', () => {
  const context = new RequestContext({ givenId: 'r' });

  test('knows it, also after it has waited', async () => {
    const seen = await runInRequest(context, async () => {
      await Promise.resolve();
      return [requestId(), currentRequest() === context];
    });
    expect(seen).toEqual(['r', true]);
    expect([requestId(), currentRequest()]).toEqual([undefined, undefined]);
  });

  test('does not know it where the option says so', () => {
    const hidden = new RequestContext({ givenId: 'r' }, false);
    expect(runInRequest(hidden, () => [requestId(), currentRequest()])).toEqual([undefined, undefined]);
  });

  test('that outlives it does not carry its id', () => {
    const seen: (string | undefined)[] = [];
    runInRequest(context, () => {
      outsideRequest(() => void seen.push(requestId()));
      seen.push(requestId());
    });
    expect(seen).toEqual([undefined, 'r']);
  });
});
