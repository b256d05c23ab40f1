import { expect, it } from 'vitest';
import { deadlineOf, quietController } from '../../../src/core/heartbeat/abort.js';

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

it('a listener may be added once, for one time, and rejects into nothing', async () => {
  const controller = quietController(7);
  const { signal } = controller;
  const calls: unknown[] = [];
  function listener(this: unknown, event: Event) {
    calls.push(this, event.type);
    return Promise.reject(new Error('nobody waits for it'));
  }
  signal.addEventListener('abort', listener, { once: true });
  signal.addEventListener('abort', listener);
  controller.abort();
  signal.dispatchEvent(new Event('abort'));
  expect(calls).toEqual([signal, 'abort']);
  await Promise.resolve();
});

it('a signal of a check tells when it fires, another one never', () => {
  expect(deadlineOf(quietController(7).signal)).toBe(7);
  expect(deadlineOf(new AbortController().signal)).toBe(Infinity);
});
