import { attempt, host } from '../core/runtime.js';

interface Collection {
  readonly start: number;
  readonly duration: number;
}

/** Milliseconds from which a collection is remembered, and how many of them are. */
const noteworthy = 50;
const kept = 50;
/** Bytes of the heap that a collection goes through in a millisecond, on a machine that is slow and has other work. */
const bytesPerMillisecond = 200_000;
/** Beats between looks at the heap. */
const lookEvery = 10;
/** Samples in which the heap has to be small again: a collection that made it small is reported after the first of them. */
const calmAfter = 10;

/**
 * Remembers long garbage collections: nothing else distinguishes them from native code. Observing them costs something for each, the
 * many short ones too, so it is only done while the heap is so large that one could make half of a block.
 */
export class Collections {
  readonly #seen: Collection[] = [];
  readonly #largeHeap: number;
  readonly #v8 = host.getBuiltinModule?.('node:v8');
  #observer: { disconnect(): void } | undefined;
  #beats = 0;
  #calm = 0;

  constructor(busyAfter: number) {
    this.#largeHeap = (busyAfter / 2) * bytesPerMillisecond;
    this.note();
  }

  /** Looks at the heap, now and then: called with every beat. */
  note(): void {
    this.#beats += 1;
    if (this.#beats % lookEvery !== 1) return;
    const used = attempt(() => this.#v8?.getHeapStatistics().used_heap_size) ?? 0;
    if (used > this.#largeHeap) {
      this.#calm = 0;
      this.#observer ??= this.#observe();
    } else if (this.#observer !== undefined && (this.#calm += 1) > calmAfter) {
      this.release();
    }
  }

  /** Milliseconds of garbage collection since a moment on the clock of `performance.now()`. */
  since(moment: number): number {
    let sum = 0;
    for (const { start, duration } of this.#seen) if (start + duration > moment) sum += duration;
    return Math.round(sum);
  }

  release(): void {
    this.#observer?.disconnect();
    this.#observer = undefined;
  }

  #observe(): { disconnect(): void } {
    const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
    const observer = new PerformanceObserver((list) => {
      for (const { startTime: start, duration } of list.getEntries()) {
        if (duration >= noteworthy && this.#seen.push({ start, duration }) > kept) this.#seen.shift();
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    return observer;
  }
}
