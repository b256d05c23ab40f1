import { expect, it, vi } from 'vitest';
import { afterTurn, endTurn } from '../../src/core/turn.js';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('work waits for the end of the turn and is done in order', async () => {
  const done: number[] = [];
  for (const number of [1, 2, 3]) afterTurn(() => done.push(number));
  await Promise.resolve();
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual([1, 2, 3]);
});

it('work that makes work: the new one gets a turn of its own', async () => {
  const done: string[] = [];
  afterTurn(() => {
    done.push('outer');
    afterTurn(() => done.push('inner'));
  });
  await nextTurn();
  expect(done).toEqual(['outer']);
  await nextTurn();
  expect(done).toEqual(['outer', 'inner']);
});

it('endTurn does it now, and nothing twice', async () => {
  const done: number[] = [];
  afterTurn(() => done.push(1));
  endTurn();
  expect(done).toEqual([1]);
  endTurn();
  await nextTurn();
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
