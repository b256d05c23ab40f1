import { oldGeneration } from '../core/heap.js';
import { Error as ErrorMessage } from '../core/heartbeat/messages.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { attempt, host } from '../core/runtime.js';
import { HeapPressure, type PressureRules } from './heap-pressure.js';
import { percent } from './thresholds.js';
import { span } from '../core/span.js';

const hint =
  'A restart frees it. Node writes what fills it to a file with --heapsnapshot-near-heap-limit=1. If the heap is only too small, raise --max-old-space-size.';

/** Observes the collections of V8 while it is on, and says whether the heap is full. */
export class HeapWatch {
  readonly #rules: PressureRules;
  #pressure: HeapPressure;
  #observer: { disconnect(): void } | undefined;

  constructor(rules: PressureRules) {
    this.#rules = rules;
    this.#pressure = new HeapPressure(rules);
  }

  begin(): void {
    // Bun and Deno report no collections.
    this.#observer ??= attempt(() => this.#observe());
  }

  end(): void {
    this.#observer?.disconnect();
    this.#observer = undefined;
    this.#pressure = new HeapPressure(this.#rules);
  }

  messages(): readonly ErrorMessage[] {
    const full = this.#pressure.judge(performance.now());
    if (full === undefined) return [];
    const limit = Math.round((oldGeneration()?.limit ?? 0) / 2 ** 20);
    const text =
      `The heap is full: ${percent(full.used)} of ${limit} MiB are in use after garbage collection, ` +
      `which took ${percent(full.gc)} of the last ${span(this.#rules.after)}`;
    return [new ErrorMessage(text, { id: messageIds.heapFull, hint })];
  }

  #observe(): { disconnect(): void } | undefined {
    const hooks = host.getBuiltinModule?.('node:perf_hooks');
    if (hooks === undefined) return undefined;
    const { PerformanceObserver, constants } = hooks;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const kind: unknown = Reflect.get(Object(Reflect.get(entry, 'detail')), 'kind');
        const isFull = kind === constants.NODE_PERFORMANCE_GC_MAJOR;
        const heap = isFull ? oldGeneration() : undefined;
        this.#pressure.add(entry.startTime + entry.duration, entry.duration, heap && heap.used / heap.limit);
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    return observer;
  }
}
