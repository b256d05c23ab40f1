/** When the heap counts as full. */
export interface PressureRules {
  /** Share of the heap that is still in use after a full collection. */
  readonly used: number;
  /** Share of the time that collections take. */
  readonly gc: number;
  /** Milliseconds for which both must last. */
  readonly after: number;
}

/** The evidence that the heap is full: the two shares. */
export interface Pressure {
  readonly used: number;
  readonly gc: number;
}

/** Parts of the time that is judged: sums of them are kept instead of each collection. */
const parts = 30;

/** Distinguishes a heap that is full and never gets free from one that is only large. Times are milliseconds on one clock. */
export class HeapPressure {
  readonly #rules: PressureRules;
  readonly #width: number;
  /** Milliseconds of collections by part, the oldest first. */
  #sums: { readonly part: number; ms: number }[] = [];
  /** The share in use after the last full collection, when that ended, and since when every one of them has left too much. */
  #used = 0;
  #lastFull = -Infinity;
  #since: number | undefined;

  constructor(rules: PressureRules) {
    this.#rules = rules;
    this.#width = rules.after / parts;
  }

  /** Takes a collection that ended at `at`; `used` is the share in use after it, of a full one. */
  add(at: number, duration: number, used?: number): void {
    const part = Math.floor(at / this.#width);
    const last = this.#sums.at(-1);
    if (last !== undefined && last.part >= part) last.ms += duration;
    else this.#sums.push({ part, ms: duration });
    this.#forget(at);
    if (used === undefined) return;
    this.#used = used;
    this.#lastFull = at;
    if (used < this.#rules.used) this.#since = undefined;
    else this.#since ??= at;
  }

  /** The evidence, if the heap is full at `now`. */
  judge(now: number): Pressure | undefined {
    const { gc, after } = this.#rules;
    this.#forget(now);
    // Without full collections nothing is known: V8 sees no reason for one.
    if (now - this.#lastFull > after) this.#since = undefined;
    if (this.#since === undefined || now - this.#since < after) return undefined;
    const spent = this.#sums.reduce((sum, { ms }) => sum + ms, 0) / after;
    return spent >= gc ? { used: this.#used, gc: Math.min(1, spent) } : undefined;
  }

  #forget(now: number): void {
    const oldest = Math.floor(now / this.#width) - parts;
    while ((this.#sums[0]?.part ?? Infinity) <= oldest) this.#sums.shift();
  }
}
