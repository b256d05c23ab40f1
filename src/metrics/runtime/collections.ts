import { attempt, host } from '../../core/runtime.js';
import type { Emit } from '../family.js';
import { Histogram } from '../histogram.js';
import { LabelSet } from '../labels.js';

/** Seconds, as prom-client has them. */
const gcBounds = [0.001, 0.01, 0.1, 1, 2, 5];

/** Takes the duration of a garbage collection in seconds. */
export type OnCollection = (kind: string, seconds: number) => void;

/** Observes garbage collections until it is released: each costs a callback, so it begins only once metrics are on. */
export class Collections {
  readonly #byKind = new Map<string, Histogram>();
  readonly #onCollection: OnCollection | undefined;
  readonly #observer: { disconnect(): void } | undefined;

  constructor(onCollection?: OnCollection) {
    this.#onCollection = onCollection;
    // Bun and Deno have no such entries.
    this.#observer = attempt(() => this.#observe());
  }

  readonly duration = (emit: Emit): void => {
    for (const histogram of this.#byKind.values()) histogram.collect(emit);
  };

  release(): void {
    this.#observer?.disconnect();
  }

  #observe(): { disconnect(): void } | undefined {
    const hooks = host.getBuiltinModule?.('node:perf_hooks');
    if (hooks === undefined) return undefined;
    const { PerformanceObserver, constants } = hooks;
    const kinds: Readonly<Record<number, string>> = {
      [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
      [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
      [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
      [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
    };
    // Node keeps each observer until it is disconnected: without this, the series of a Health that was dropped without close() would stay.
    const kept = new WeakRef(this);
    const observer = new PerformanceObserver((list) => {
      const collections = kept.deref();
      if (collections === undefined) return observer.disconnect();
      for (const entry of list.getEntries()) {
        const kind = kinds[Number(Reflect.get(Object(Reflect.get(entry, 'detail')), 'kind'))];
        if (kind !== undefined) collections.#record(kind, entry.duration / 1000);
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    return observer;
  }

  #record(kind: string, seconds: number): void {
    let histogram = this.#byKind.get(kind);
    if (histogram === undefined) {
      histogram = new Histogram(gcBounds, new LabelSet({ kind }));
      this.#byKind.set(kind, histogram);
    }
    histogram.observe(seconds);
    this.#onCollection?.(kind, seconds);
  }
}
