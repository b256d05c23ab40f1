import type { History } from '../core/history.js';

/** Milliseconds between two events at least, and between signs of life while nothing happens. */
const pause = 1000;
const quiet = 15_000;

/**
 * The events of one open page: the state now, then each new one. `piece` is asked only when the reader is ready,
 * so that a slow one gets the latest state and no queue grows.
 */
export function eventsOf(history: History, piece: () => Promise<string>): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => new Events(history, piece) };
}

class Events implements AsyncIterator<string> {
  readonly #history: History;
  readonly #piece: () => Promise<string>;
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wake = () => {};
  /** Whether news ends the sleep, or the end alone. */
  #wakeful = false;
  #news = true;
  #ended = false;
  #slot = -1;

  constructor(history: History, piece: () => Promise<string>) {
    this.#history = history;
    this.#piece = piece;
    this.#unsubscribe = history.subscribe(() => {
      this.#news = true;
      if (this.#wakeful || history.closed) this.#wake();
    });
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (!this.#news) await this.#sleep(quiet, true);
    const now = performance.now();
    // The same slots for everybody: a thousand open pages wake together and share one rendering.
    // Timers cut fractions off and may be a millisecond early: that would be the same slot once more.
    if (this.#news && slotOf(now) === this.#slot)
      await this.#sleep(pause - Math.floor(now % pause) + 1, false);
    if (this.#ended || this.#history.closed) return this.return();
    if (!this.#news) return { done: false, value: ': still here\n\n' };
    this.#news = false;
    this.#slot = slotOf(performance.now());
    return { done: false, value: `data: ${await this.#piece()}\n\n` };
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#ended = true;
    this.#unsubscribe();
    this.#wake();
    return { done: true, value: undefined };
  }

  #sleep(ms: number, wakeful: boolean): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#wakeful = wakeful;
    return new Promise((resolve) => {
      this.#wake = () => {
        clearTimeout(this.#timer);
        this.#wakeful = false;
        resolve();
      };
      this.#timer = setTimeout(this.#wake, ms);
      // A number in browsers and workers, where nothing has to be unref'ed.
      if (typeof this.#timer === 'object') this.#timer.unref();
    });
  }
}

const slotOf = (now: number) => Math.floor(now / pause);
