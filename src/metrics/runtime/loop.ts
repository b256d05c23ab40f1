import { attempt, host } from '../../core/runtime.js';

/** Delays of the event loop since the reading before, in seconds; each as prom-client computes it. */
export interface Delays {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Measurements of the event loop. */
export interface LoopReading {
  /** Share of the time since the reading before in which it was busy. */
  readonly utilization: number | undefined;
  readonly delays: Delays | undefined;
}

/** Milliseconds between two readings: two scrapes in one moment get the same one. */
const minWindow = 500;
const resolution = 10;

// Kept: a test that replaces the timers must not stop a scrape.
const { setImmediate } = globalThis;

/** Measures the event loop until it is released. */
export class LoopMeter {
  readonly #hooks = host.getBuiltinModule?.('node:perf_hooks');
  readonly #histogram = attempt(() => this.#hooks?.monitorEventLoopDelay({ resolution }));
  #since = attempt(() => this.#hooks?.performance.eventLoopUtilization());
  #at = performance.now();
  #last: LoopReading | undefined;

  constructor() {
    this.#histogram?.enable();
  }

  /** The reading since the one before, or that one again if it is of this moment. */
  read(): LoopReading {
    if (this.#last === undefined || performance.now() - this.#at >= minWindow) {
      this.#at = performance.now();
      this.#last = { utilization: this.#utilization(), delays: this.#delays() };
    }
    return this.#last;
  }

  release(): void {
    this.#histogram?.disable();
  }

  #utilization(): number | undefined {
    const measure = this.#hooks?.performance;
    const now = attempt(() => measure?.eventLoopUtilization());
    if (measure === undefined || now === undefined) return undefined;
    const { utilization } = measure.eventLoopUtilization(now, this.#since);
    this.#since = now;
    return utilization;
  }

  #delays(): Delays | undefined {
    const histogram = this.#histogram;
    if (histogram === undefined || histogram.count === 0) return undefined;
    const { min, max, mean, stddev } = histogram;
    const delays = {
      min: min / 1e9,
      max: max / 1e9,
      mean: mean / 1e9,
      stddev: stddev / 1e9,
      p50: histogram.percentile(50) / 1e9,
      p90: histogram.percentile(90) / 1e9,
      p99: histogram.percentile(99) / 1e9,
    };
    histogram.reset();
    return delays;
  }
}

/** Seconds until the event loop runs a callback queued now; undefined on runtimes that cannot measure it. */
export function measureLag(): Promise<number | undefined> {
  if (typeof setImmediate !== 'function') return Promise.resolve(undefined);
  const start = performance.now();
  return new Promise((resolve) => {
    setImmediate(() => resolve((performance.now() - start) / 1000));
  });
}
