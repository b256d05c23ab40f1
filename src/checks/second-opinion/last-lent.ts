import type { Clock } from '../../core/clock.js';

/** Calls a function whenever a pool lends a connection; returns a function that stops this, or undefined for a pool that does not report it. */
export type OnLend = (lent: () => void) => (() => void) | undefined;

/** When a pool last lent a connection: a request that came later cannot hold one of those that are in use. */
export class LastLent {
  readonly #clock: Clock;
  readonly #onLend: OnLend | undefined;
  #stop: (() => void) | undefined;
  #at = 0;
  #next: unknown;

  constructor(clock: Clock, onLend: OnLend | undefined) {
    this.#clock = clock;
    this.#onLend = onLend;
  }

  /** Listens to the pool, unless it does already. Some libraries make their pool when they connect. */
  watch(): void {
    if (this.#stop !== undefined) return;
    this.#at = this.#clock.now();
    this.#stop = this.#onLend?.(() => {
      this.#at = this.#clock.now();
    });
  }

  release(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Looks at the first request in the pool's queue: if it has changed, a connection was lent, which mysql2 does not report. */
  look(next: unknown): void {
    if (this.#next !== undefined && next !== this.#next) this.#at = this.#clock.now();
    this.#next = next;
  }

  /** Undefined for a pool that does not report it. */
  get at(): number | undefined {
    return this.#stop === undefined ? undefined : this.#at;
  }
}
