import { describe, expect, test, vi } from 'vitest';
import {
  currentRequest,
  outsideRequest,
  RequestContext,
  requestId,
  runInRequest,
} from '../../../src/core/request/request.js';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const idOf = (given: string | undefined) => new RequestContext(() => given).id;

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

  test('of a header that came twice is both, joined by a comma', () => {
    expect(idOf('a, b, c')).toBe('a,b,c');
  });

  test('is read or made once, and only when somebody asks', () => {
    const given = vi.fn<() => undefined>();
    const context = new RequestContext(given);
    expect(given).not.toHaveBeenCalled();
    expect(context.id).toBe(context.id);
    expect(given).toHaveBeenCalledTimes(1);
    expect(idOf(undefined)).not.toBe(idOf(undefined));
  });
});

test('the first end of a request counts', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  const context = new RequestContext(() => 'r');
  expect(context).toMatchObject({ started: performance.now(), ended: 0, endedAt: 0, everywhere: true });
  vi.advanceTimersByTime(30);
  context.end();
  vi.advanceTimersByTime(30);
  context.end();
  expect(context.ended - context.started).toBe(30);
  expect(context.endedAt).toBe(1_700_000_000_030);
  vi.useRealTimers();
});

describe('code below a request', () => {
  const context = new RequestContext(() => 'r');

  test('knows it, also after it has waited', async () => {
    const seen = await runInRequest(context, async () => {
      await Promise.resolve();
      return [requestId(), currentRequest() === context];
    });
    expect(seen).toEqual(['r', true]);
    expect([requestId(), currentRequest()]).toEqual([undefined, undefined]);
  });

  test('does not know it where the option says so', () => {
    const hidden = new RequestContext(() => 'r', false);
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
