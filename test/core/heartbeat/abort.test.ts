import { expect, it } from 'vitest';
import { quietController } from '../../../src/core/heartbeat/abort.js';

it('the signal of a check is one like others: added, removed and set listeners are called, or not', () => {
  const controller = quietController(Infinity);
  const { signal } = controller;
  const heard: string[] = [];
  const removed = () => heard.push('removed');
  signal.addEventListener('abort', removed);
  signal.removeEventListener('abort', removed);
  Reflect.apply(signal.addEventListener, signal, ['abort', null]);
  Reflect.apply(signal.removeEventListener, signal, ['abort', null]);
  expect(signal.onabort).toBeNull();
  const first = () => heard.push('first');
  Reflect.set(signal, 'onabort', first);
  expect(signal.onabort).toBe(first);
  Reflect.set(signal, 'onabort', () => heard.push('second'));
  signal.addEventListener('abort', { handleEvent: () => heard.push('object') });
  signal.addEventListener('abort', () => {
    throw new Error('nobody waits for it');
  });
  controller.abort();
  expect(heard).toEqual(['second', 'object']);
  expect(signal).toBeInstanceOf(AbortSignal);
  Reflect.set(signal, 'onabort', 5);
  expect(signal.onabort).toBeNull();
});
