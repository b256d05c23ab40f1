/**
 * How long the main thread has been blocked: the time in which this thread ran and the other did not beat.
 * Time in which this thread stood still too counts for nothing: the process was suspended, or got no processor.
 */
export class Pulse {
  /** Milliseconds since the last beat. */
  silent = 0;
  readonly #longestGap: number;
  #beats: number;
  #looked: number;

  /** `longestGap`: milliseconds between two looks above which this thread stood still itself. */
  constructor(longestGap: number, beats: number, now: number) {
    this.#longestGap = longestGap;
    this.#beats = beats;
    this.#looked = now;
  }

  /** Looks again. Returns how long the main thread was silent, where it has beaten since the last look. */
  look(beats: number, now: number): number | undefined {
    const gap = now - this.#looked;
    this.#looked = now;
    if (gap > 0 && gap <= this.#longestGap) this.silent += gap;
    if (beats === this.#beats) return undefined;
    this.#beats = beats;
    const { silent } = this;
    this.silent = 0;
    return silent;
  }
}
