import { beforeEach, expect, it, vi } from 'vitest';
import { afterTurn, endTurn, lastTurn, nextTurn } from '../../../src/core/request/turn.js';

const turnIsOver = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(nextTurn);

it('work waits for the end of the turn and is done in order', async () => {
  const done: number[] = [];
  for (const number of [1, 2, 3]) afterTurn(() => done.push(number));
  await Promise.resolve();
  expect(done).toEqual([]);
  await turnIsOver();
  expect(done).toEqual([1, 2, 3]);
});

it('work that makes work: the new one is done last, in the same go', async () => {
  const done: string[] = [];
  afterTurn(() => {
    done.push('outer');
    afterTurn(() => done.push('inner'));
  });
  afterTurn(() => done.push('next'));
  await turnIsOver();
  expect(done).toEqual(['outer', 'next', 'inner']);
});

it('work that ends the turn itself: nothing is done twice', async () => {
  const done: string[] = [];
  afterTurn(() => {
    done.push('first');
    afterTurn(() => done.push('made'));
    endTurn();
  });
  afterTurn(() => done.push('second'));
  await turnIsOver();
  await turnIsOver();
  expect(done).toEqual(['first', 'made', 'second']);
});

it('work that throws does not stop the work of later turns', () => {
  const done: number[] = [];
  afterTurn(() => {
    throw new Error('broken');
  });
  expect(endTurn).toThrow('broken');
  afterTurn(() => done.push(1));
  endTurn();
  expect(done).toEqual([1]);
});

it('endTurn does it now, and nothing twice', async () => {
  const done: number[] = [];
  afterTurn(() => done.push(1));
  endTurn();
  expect(done).toEqual([1]);
  endTurn();
  await turnIsOver();
  expect(done).toEqual([1]);
});

it('a test that holds the time still does not hold the work', async () => {
  const { setImmediate: real } = globalThis;
  vi.useFakeTimers();
  const done: number[] = [];
  afterTurn(() => done.push(1));
  await new Promise((resolve) => real(resolve));
  vi.useRealTimers();
  expect(done).toEqual([1]);
});

it('nothing waits after lastTurn, until somebody says that there is a next one', async () => {
  const done: number[] = [];
  afterTurn(() => done.push(1));
  lastTurn();
  afterTurn(() => done.push(2));
  expect(done).toEqual([1, 2]);
  nextTurn();
  afterTurn(() => done.push(3));
  expect(done).toEqual([1, 2]);
  await turnIsOver();
  expect(done).toEqual([1, 2, 3]);
});
