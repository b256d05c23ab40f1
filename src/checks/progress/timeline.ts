/** The state of some work, as one run of the check reads it. */
export interface Sample {
  /** How much of it waits or is under way. */
  readonly pending: number;
  /** Changes whenever a part of it is done, or was tried and is tried again. */
  readonly mark: number | string | undefined;
  readonly paused: boolean;
}

export interface Verdict {
  /** `stalled`: at every sample for the whole time there was work, and none of it was done in between. */
  readonly state: 'idle' | 'working' | 'paused' | 'stalled';
  /** Milliseconds for which nothing was done, as far as the samples show. */
  readonly silence: number;
}

/**
 * Distinguishes idle, working and stuck, by samples at any moments. It never takes a queue that was empty
 * meanwhile for a stuck one: the time restarts at a sample that finds something done, for the queue may have been empty since.
 */
export class Timeline {
  readonly #stalledAfter: number;
  #mark: Sample['mark'];
  /** Since when there is work and nothing was done. */
  #since: number | undefined;

  constructor(stalledAfter: number) {
    this.#stalledAfter = stalledAfter;
  }

  /** `now` is of a monotonic clock. */
  add(now: number, { pending, mark, paused }: Sample): Verdict {
    const isIdle = paused || pending <= 0;
    if (mark !== this.#mark || isIdle) this.#since = undefined;
    this.#mark = mark;
    if (isIdle) return { state: paused ? 'paused' : 'idle', silence: 0 };
    this.#since ??= now;
    const silence = now - this.#since;
    return { state: silence < this.#stalledAfter ? 'working' : 'stalled', silence };
  }
}
