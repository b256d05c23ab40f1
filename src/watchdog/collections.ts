import { host } from '../core/runtime.js';

interface Collection {
  readonly start: number;
  readonly duration: number;
}

/** Milliseconds from which a collection is remembered, and how many of them are. */
const noteworthy = 50;
const kept = 50;

/** Remembers long garbage collections: nothing else tells them from native code. */
export class Collections {
  readonly #seen: Collection[] = [];
  readonly #observer: { disconnect(): void } | undefined;

  constructor() {
    const { PerformanceObserver } = host.getBuiltinModule?.('node:perf_hooks') ?? {};
    if (PerformanceObserver === undefined) return;
    const observer = new PerformanceObserver((list) => {
      for (const { startTime: start, duration } of list.getEntries()) {
        if (duration >= noteworthy && this.#seen.push({ start, duration }) > kept) this.#seen.shift();
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    this.#observer = observer;
  }

  /** Milliseconds of garbage collection since a moment on the clock of `performance.now()`. */
  since(moment: number): number {
    let sum = 0;
    for (const { start, duration } of this.#seen) if (start + duration > moment) sum += duration;
    return Math.round(sum);
  }

  release(): void {
    this.#observer?.disconnect();
  }
}
