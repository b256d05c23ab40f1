import v8 from 'node:v8';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../core/waiting.js';
import { Collections } from '../../src/watchdog/collections.js';

afterEach(() => void vi.restoreAllMocks());

/** Says how large the heap is. */
function heap(megabytes: number): void {
  const statistics = v8.getHeapStatistics();
  vi.spyOn(v8, 'getHeapStatistics').mockReturnValue({ ...statistics, used_heap_size: megabytes * 1e6 });
}

/** Counts the observers of garbage collections that are there. */
function countObservers(): () => number {
  const { PerformanceObserver: Observer } = performanceHooks;
  let open = 0;
  const { observe, disconnect } = Observer.prototype;
  vi.spyOn(Observer.prototype, 'observe').mockImplementation(function (this: unknown, ...args) {
    open += 1;
    return Reflect.apply(observe, this, args);
  });
  vi.spyOn(Observer.prototype, 'disconnect').mockImplementation(function (this: unknown) {
    open -= 1;
    return Reflect.apply(disconnect, this, []);
  });
  return () => open;
}
const performanceHooks = process.getBuiltinModule('node:perf_hooks');

it('observes only while the heap is large, and a while longer', () => {
  const open = countObservers();
  heap(90);
  const collections = new Collections(1000);
  for (let beats = 0; beats < 300; beats += 1) collections.note();
  expect(open()).toBe(0);
  heap(110);
  for (let beats = 0; beats < 300; beats += 1) collections.note();
  expect(open()).toBe(1);
  heap(1);
  for (let beats = 0; beats < 10; beats += 1) collections.note();
  // A collection that made the heap small is told after this.
  expect(open()).toBe(1);
  for (let beats = 0; beats < 300; beats += 1) collections.note();
  expect(open()).toBe(0);
  heap(110);
  for (let beats = 0; beats < 10; beats += 1) collections.note();
  expect(open()).toBe(1);
  collections.release();
  collections.release();
  expect(open()).toBe(0);
});

it('observes from the start where the heap is large already, sooner for short blocks', () => {
  const open = countObservers();
  heap(15);
  const collections = new Collections(100);
  expect(open()).toBe(1);
  collections.release();
});

it('observes nothing where the runtime does not tell how large the heap is', () => {
  const open = countObservers();
  vi.spyOn(v8, 'getHeapStatistics').mockImplementation(() => {
    throw new Error('not allowed');
  });
  const collections = new Collections(1000);
  for (let beats = 0; beats < 30; beats += 1) collections.note();
  expect([open(), collections.since(0)]).toEqual([0, 0]);
});

it('remembers the last fifty that were long', () => {
  type Entries = readonly { readonly startTime: number; readonly duration: number }[];
  let tell: ((entries: Entries) => void) | undefined;
  const { PerformanceObserver } = performanceHooks;
  onTestFinished(() => void Reflect.set(performanceHooks, 'PerformanceObserver', PerformanceObserver));
  const Observer = class {
    constructor(heard: (list: { getEntries(): Entries }) => void) {
      tell = (entries) => heard({ getEntries: () => entries });
    }
    observe() {}
    disconnect() {}
  };
  Reflect.set(performanceHooks, 'PerformanceObserver', Observer);
  heap(500);
  const collections = new Collections(1000);
  tell?.([{ startTime: 0, duration: 1000 }]);
  tell?.(Array.from({ length: 30 }, (_, index) => ({ startTime: 2000 + index * 100, duration: 49 })));
  expect(collections.since(0)).toBe(1000);
  tell?.(Array.from({ length: 50 }, (_, index) => ({ startTime: 5000 + index * 100, duration: 60 })));
  expect([collections.since(0), collections.since(9800)]).toEqual([3000, 120]);
});

it('remembers long collections of this process', async () => {
  v8.setFlagsFromString('--expose-gc');
  const collect: () => void = process.getBuiltinModule('node:vm').runInNewContext('gc');
  heap(500);
  const collections = new Collections(1000);
  const before = performance.now();
  const kept: object[] = [];
  await until(() => {
    for (let index = 0; index < 100_000; index += 1) kept.push({ index, next: [index] });
    collect();
    return collections.since(before) >= 50;
  });
  expect(collections.since(performance.now())).toBe(0);
  collections.release();
  expect(kept.length).toBeGreaterThan(0);
});
