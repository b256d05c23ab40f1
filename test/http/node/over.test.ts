import { EventEmitter } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { onOver } from '../../../src/http/node/over.js';
import type { NodeRequest, NodeResponse } from '../../../src/http/node/request.js';

afterEach(() => void vi.useRealTimers());

/** A stream as a client leaves it that resets it without an error code while a write is pending: it never closes. */
function left(state: { readonly closed: boolean; readonly writableFinished: boolean }) {
  const stream = Object.assign(new EventEmitter(), { destroyed: false, ...state });
  const response = Object.assign(new EventEmitter(), { stream });
  let over = 0;
  onOver({} as NodeRequest, response as unknown as NodeResponse, () => void (over += 1));
  return { stream, over: () => over };
}

test('HTTP/2: a response that was ended is over 5 s after its stream closed on both sides, although Node never closes it', () => {
  vi.useFakeTimers();
  const { stream, over } = left({ closed: true, writableFinished: false });
  stream.emit('end');
  vi.advanceTimersByTime(4999);
  expect(over()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(over()).toBe(1);
});

test('HTTP/2: a response that was not ended is over at once when its stream is aborted', () => {
  vi.useFakeTimers();
  const { stream, over } = left({ closed: true, writableFinished: false });
  stream.emit('aborted');
  vi.advanceTimersByTime(1);
  expect(over()).toBe(1);
});

test.each([
  { closed: false, writableFinished: false },
  { closed: true, writableFinished: true },
])('HTTP/2: a stream that will close has no timer: %o', (state) => {
  vi.useFakeTimers();
  const { stream, over } = left(state);
  stream.emit('end');
  expect(vi.getTimerCount()).toBe(0);
  stream.emit('close');
  expect(over()).toBe(1);
});

test('HTTP/2: a stream that closes in time is over once', () => {
  vi.useFakeTimers();
  const { stream, over } = left({ closed: true, writableFinished: false });
  stream.emit('end');
  stream.emit('close');
  expect([over(), vi.getTimerCount()]).toEqual([1, 0]);
});
