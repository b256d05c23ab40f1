/**
 * How long the main thread has been blocked: the time in which this thread ran and the main thread did not beat.
 * Time in which this thread did not run either is not counted: the process was suspended, or got no processor.
 */
export class Pulse {
  /** Milliseconds since the last beat. */
  silent = 0;
  readonly #step: number;
  #beat: number;
  #polled: number;
  #planned: number;

  /** `step`: milliseconds between beats. `beat` and `now` are on the same clock, which overflows. */
  constructor(step: number, beat: number, now: number) {
    this.#step = step;
    this.#beat = beat;
    this.#polled = now;
    this.#planned = step;
  }

  /** Polls once more. Returns how long the main thread was silent, if it has beaten since the last poll. */
  poll(beat: number, now: number): number | undefined {
    const gap = (now - this.#polled) | 0;
    this.#polled = now;
    const ran = gap > 0 && gap <= this.#planned + slack * this.#step ? gap : 0;
    if (beat === this.#beat) {
      this.silent += ran;
      return undefined;
    }
    this.#beat = beat;
    // Bounded: the clocks of two threads differ on Deno.
    const since = Math.min(ran, Math.max(0, (now - beat) | 0));
    const silent = this.silent + ran - since;
    this.silent = since;
    return silent;
  }

  /** Milliseconds until the next poll: seldom while the main thread beats, since each poll wakes a processor. */
  rest(busyAfter: number): number {
    const left = busyAfter - this.silent;
    if (this.silent <= 2 * this.#step) this.#planned = seldom * this.#step;
    else this.#planned = left > 0 ? Math.min(left, this.#step) : this.#step;
    return this.#planned;
  }
}

// Steps. A beat, a rest and the slack are together less than the ten after which a block is noticed: a process that was
// suspended for so short a time that it looks like a rest is not blocked.
const seldom = 4;
const slack = 4;
