/** The state of some work, as one run of the check reads it. */
export interface Sample {
  /** How much of it waits or is under way. */
  readonly pending: number;
  /** Something that changes whenever a part of it is done. */
  readonly mark: number | string | undefined;
  /** Attempts so far that failed and come again. */
  readonly attempts: number;
  readonly paused: boolean;
}

/** The conclusion from all runs so far. */
export interface Verdict {
  /**
   * `stalled`: at every sample for the whole time there was work, and none of it was done in between. `retrying`: the
   * same, and attempts that failed show that the consumer works.
   */
  readonly state: 'idle' | 'working' | 'paused' | 'retrying' | 'stalled';
  readonly pending: number;
  /** Milliseconds for which nothing was done, as far as the samples show. */
  readonly silence: number;
  /** Attempts that failed in this time. */
  readonly attempts: number;
}

/**
 * Distinguishes idle, working and stuck, by samples at any moments. It never takes a queue that was empty
 * meanwhile for a stuck one: the time restarts at a sample that finds something done, for the queue may have been empty since.
 */
export class Timeline {
  readonly #stalledAfter: number;
  #mark: Sample['mark'];
  #attempts = 0;
  #attemptAt = -Infinity;
  /** Since when there is work and nothing was done, and how many attempts there were by then. */
  #since: { readonly moment: number; readonly attempts: number } | undefined;

  constructor(stalledAfter: number) {
    this.#stalledAfter = stalledAfter;
  }

  /** `now` is of a monotonic clock. */
  add(now: number, { pending, mark, attempts, paused }: Sample): Verdict {
    if (mark !== this.#mark) this.#since = undefined;
    this.#mark = mark;
    if (attempts !== this.#attempts) this.#attemptAt = now;
    this.#attempts = attempts;
    if (paused || pending <= 0) {
      this.#since = undefined;
      return { state: paused ? 'paused' : 'idle', pending, silence: 0, attempts: 0 };
    }
    this.#since ??= { moment: now, attempts };
    const silence = now - this.#since.moment;
    const failed = Math.max(0, attempts - this.#since.attempts);
    const state =
      silence < this.#stalledAfter
        ? 'working'
        : failed > 0 && now - this.#attemptAt < this.#stalledAfter
          ? 'retrying'
          : 'stalled';
    return { state, pending, silence, attempts: failed };
  }
}
