import { within } from './deadlines.js';

/** Time and chance, as the verdicts of the probes see them: a simulation has its own. */
export interface Clock {
  /** Milliseconds on a clock that never jumps. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Calls back once, without keeping the process alive; returns a function that cancels it. */
  after(ms: number, then: () => void): () => void;
  /** The promise's value, or `late` when it takes longer than `ms`. */
  within<T>(promise: PromiseLike<T>, ms: number, late: T): Promise<T>;
}

/** The clock of this process. */
export const realClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    // A number in browsers and workers, which need no `unref`.
    if (typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
  within,
};
