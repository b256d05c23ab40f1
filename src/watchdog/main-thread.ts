// Facts that only the main thread has, and that explain a block: garbage collections, inspectors, the current request.
import type * as Inspector from 'node:inspector';
import { pathname } from '../core/endpoints.js';
import type { LoopBlock } from '../core/loop.js';
import { isObject, read } from '../core/objects.js';
import { replace } from '../core/replace.js';
import { currentRequest } from '../core/request/request.js';
import { attempt, environment, host } from '../core/runtime.js';

/** Milliseconds from which a collection is remembered, and how many of them are. */
const noteworthy = 50;
const maxKept = 50;
/** Bytes of the heap that a collection goes through in a millisecond, on a machine that is slow and has other work. */
const bytesPerMillisecond = 200_000;
/** Beats between two samples of the heap. */
const sampleEvery = 10;

/**
 * Remembers long garbage collections: nothing else distinguishes them from native code. Observing them costs something for each, the
 * many short ones too, so it begins when the heap is so large that one could make half of a block.
 */
export class Collections {
  readonly #kept: { readonly end: number; readonly duration: number }[] = [];
  readonly #largeHeap: number;
  readonly #v8 = host.getBuiltinModule?.('node:v8');
  #observer: { disconnect(): void } | undefined;
  #beats = 0;

  constructor(busyAfter: number) {
    this.#largeHeap = (busyAfter / 2) * bytesPerMillisecond;
    this.sample();
  }

  /** Called with every beat: reads the size of the heap now and then. */
  sample(): void {
    this.#beats += 1;
    if (this.#observer !== undefined || this.#beats % sampleEvery !== 1) return;
    const used = attempt(() => this.#v8?.getHeapStatistics().used_heap_size) ?? 0;
    if (used > this.#largeHeap) this.#observer = this.#observe();
  }

  /** Names garbage collection if it took most of the block. */
  culprit({ since, blockedFor }: LoopBlock): string | undefined {
    // At most a second before its length: the clock of the day may have been set.
    const start = performance.now() - Math.min(Date.now() - since, blockedFor + 1000);
    const durations = this.#kept.filter(({ end }) => end > start).map(({ duration }) => duration);
    const collected = Math.round(durations.reduce((sum, duration) => sum + duration, 0));
    return collected * 2 > blockedFor ? `garbage collection (${collected} ms)` : undefined;
  }

  release(): void {
    this.#observer?.disconnect();
  }

  #observe(): { disconnect(): void } {
    const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
    const observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        if (duration < noteworthy) continue;
        if (this.#kept.push({ end: startTime + duration, duration }) > maxKept) this.#kept.shift();
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    return observer;
  }
}

/** Watches for a debugger or profiler at the main thread: the port of `--inspect`, and sessions of its own. Calls `changed` at once. */
export function watchInspectors(changed: () => void): { any(): boolean; release(): void } {
  const inspector = attempt(() => host.getBuiltinModule?.('node:inspector'));
  if (inspector === undefined) return { any: () => false, release() {} };
  const { NODE_OPTIONS = '' } = environment();
  const flags = [...process.execArgv, ...NODE_OPTIONS.split(' ')];
  const profiled = flags.some((flag) => /^--(?:cpu|heap)-prof$/.test(flag));
  const sessions = new Set<unknown>();
  // Node does not list sessions.
  const wrap = (name: 'connect' | 'disconnect', note: (session: unknown) => void): (() => void) => {
    const prototype: Pick<Inspector.Session, typeof name> | undefined = inspector.Session?.prototype;
    const own = prototype?.[name];
    if (prototype === undefined || typeof own !== 'function') return () => {};
    return replace(prototype, name, function wrapped(this: Inspector.Session, ...args: []) {
      own.apply(this, args);
      note(this);
      changed();
    });
  };
  const restores = [
    wrap('connect', (session) => sessions.add(session)),
    wrap('disconnect', (session) => sessions.delete(session)),
  ];
  return {
    any: () => profiled || sessions.size > 0 || attempt(() => inspector.url()) !== undefined,
    release() {
      for (const restore of restores) restore();
    },
  };
}

/** The request that the current code runs for. Only plain values: it goes to another thread. */
export function requestUnderWay(): { rid?: string; method?: string; path?: string } {
  const context = currentRequest();
  if (context === undefined) return {};
  const { request, id: rid } = context;
  const method = textOf(request, 'method');
  const target = textOf(request, 'originalUrl') ?? textOf(request, 'url') ?? textOf(request, 'path');
  // Without the query, which may carry anything, and without the host that a Request has in its address.
  return { rid, ...(method && { method }), ...(target !== undefined && { path: pathname(target) || '/' }) };
}

/** A text of the request, or of the one that the framework has it in. */
function textOf(request: unknown, name: string): string | undefined {
  const inner = within(request, 'request');
  const owners = [request, within(request, 'req'), within(request, 'raw'), inner, within(inner, 'request')];
  return owners.map((owner) => within(owner, name)).find((value) => typeof value === 'string');
}

const within = (owner: unknown, key: string) => (isObject(owner) ? read(owner, key) : undefined);
