import { beforeEach, expect, it, vi } from 'vitest';
import {
  defer,
  flushDeferred,
  disableDeferring,
  enableDeferring,
} from '../../../src/core/request/deferred.js';

const turnIsOver = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(enableDeferring);

it('work waits for the end of the turn and is done in order', async () => {
  const done: number[] = [];
  for (const number of [1, 2, 3]) defer(() => done.push(number));
  await Promise.resolve();
  expect(done).toEqual([]);
  await turnIsOver();
  expect(done).toEqual([1, 2, 3]);
});

it('work that makes work: the new one is done last, in the same go', async () => {
  const done: string[] = [];
  defer(() => {
    done.push('outer');
    defer(() => done.push('inner'));
  });
  defer(() => done.push('next'));
  await turnIsOver();
  expect(done).toEqual(['outer', 'next', 'inner']);
});

it('work that ends the turn itself: nothing is done twice', async () => {
  const done: string[] = [];
  defer(() => {
    done.push('first');
    defer(() => done.push('made'));
    flushDeferred();
  });
  defer(() => done.push('second'));
  await turnIsOver();
  await turnIsOver();
  expect(done).toEqual(['first', 'made', 'second']);
});

it('work that throws does not stop the work of later turns', () => {
  const done: number[] = [];
  defer(() => {
    throw new Error('broken');
  });
  expect(flushDeferred).toThrow('broken');
  defer(() => done.push(1));
  flushDeferred();
  expect(done).toEqual([1]);
});

it('flushDeferred does it now, and nothing twice', async () => {
  const done: number[] = [];
  defer(() => done.push(1));
  flushDeferred();
  expect(done).toEqual([1]);
  flushDeferred();
  await turnIsOver();
  expect(done).toEqual([1]);
});

it('a test that holds the time still does not hold the work', async () => {
  const { setImmediate: real } = globalThis;
  vi.useFakeTimers();
  const done: number[] = [];
  defer(() => done.push(1));
  await new Promise((resolve) => real(resolve));
  vi.useRealTimers();
  expect(done).toEqual([1]);
});

it('nothing waits after disableDeferring, until enableDeferring is called', async () => {
  const done: number[] = [];
  defer(() => done.push(1));
  disableDeferring();
  defer(() => done.push(2));
  expect(done).toEqual([1, 2]);
  enableDeferring();
  defer(() => done.push(3));
  expect(done).toEqual([1, 2]);
  await turnIsOver();
  expect(done).toEqual([1, 2, 3]);
});
