import type * as PerfHooks from 'node:perf_hooks';

const resolution = 10;
/** Milliseconds: shorter times say nothing, and two runs in one moment look at the same. */
const minWindow = 500;

/** The window that is judged: from the start of a part until now. */
interface Part {
  /** On the clock of `performance.now()`, and in milliseconds since 1970. */
  readonly at: number;
  readonly date: number;
  readonly utilization: ReturnType<typeof PerfHooks.performance.eventLoopUtilization>;
  /** The 99th percentile of the delay in it, once it has ended. */
  late: number;
}

/** Measurements of the event loop. */
interface Seen {
  readonly busy: number;
  readonly late: number;
  /** Since when it was looked at, in milliseconds since 1970. */
  readonly since: number;
}

/** Looks at the event loop over a window that moves: the part under way and the one before it, of half a window each. */
export class LoopWindow {
  readonly #hooks: typeof PerfHooks;
  readonly #half: number;
  readonly #histogram: PerfHooks.IntervalHistogram;
  #part: Part;
  #before: Part | undefined;
  #last: { readonly at: number; readonly seen: Seen } | undefined;

  constructor(hooks: typeof PerfHooks, window: number) {
    this.#hooks = hooks;
    this.#half = window / 2;
    this.#histogram = hooks.monitorEventLoopDelay({ resolution });
    this.#part = this.#newPart();
  }

  begin(): void {
    if (!this.#histogram.enable()) return;
    this.#before = undefined;
    this.#last = undefined;
    this.#part = this.#newPart();
  }

  end(): void {
    this.#histogram.disable();
  }

  /** The measurements of the window; undefined before the first. */
  read(): Seen | undefined {
    const now = performance.now();
    if (this.#last !== undefined && now - this.#last.at < minWindow) return this.#last.seen;
    const part = this.#part;
    part.late = Math.max(0, this.#histogram.percentile(99) / 1e6 - resolution);
    const isOver = now - part.at >= this.#half;
    const first = isOver ? part : (this.#before ?? part);
    if (now - first.at < minWindow) return undefined;
    const seen = {
      busy: this.#hooks.performance.eventLoopUtilization(first.utilization).utilization,
      late: Math.max(first.late, part.late),
      since: first.date,
    };
    this.#last = { at: now, seen };
    if (isOver) {
      this.#before = part;
      this.#part = this.#newPart();
    }
    return seen;
  }

  #newPart(): Part {
    this.#histogram.reset();
    const utilization = this.#hooks.performance.eventLoopUtilization();
    return { at: performance.now(), date: Date.now(), utilization, late: 0 };
  }
}
