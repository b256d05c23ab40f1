import { expect, test } from 'vitest';
import { DetailsGate } from '../../src/core/details.js';

function gate(details: boolean | ((request: string) => boolean)) {
  const told: unknown[][] = [];
  const made = new DetailsGate<string>(details, (...what) => void told.push(what));
  return { opensTo: (request: string) => made.opensTo(request), told };
}

test('is open or closed to all, or to those whom the function lets in', () => {
  expect(gate(true).opensTo('anybody')).toBe(true);
  expect(gate(false).opensTo('anybody')).toBe(false);
  const { opensTo, told } = gate((request) => request === 'operator');
  expect([opensTo('operator'), opensTo('stranger')]).toEqual([true, false]);
  expect(told).toEqual([]);
});

test('a function that throws hides the details, and each throw is told', () => {
  const error = new Error('no session');
  const { opensTo, told } = gate(() => {
    throw error;
  });
  expect([opensTo('a'), opensTo('b')]).toEqual([false, false]);
  const line = ['The details option threw; details are hidden', error];
  expect(told).toEqual([line, line]);
});

test.each<[string, () => unknown, number]>([
  ['a promise', async () => true, 1],
  ['a rejection', () => Promise.reject(new Error('late')), 1],
  ['a text', () => 'yes', 0],
  ['a number', () => 1, 0],
  ['an object', () => ({}), 0],
])('%s opens nothing, and a promise is told once', (_what, option, times) => {
  const { opensTo, told } = gate(option as never);
  expect([opensTo('a'), opensTo('b')]).toEqual([false, false]);
  const line = ['The details option returned a promise instead of true or false; details are hidden'];
  expect(told).toEqual(Array.from({ length: times }, () => line));
});
