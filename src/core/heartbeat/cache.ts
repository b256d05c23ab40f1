import { later } from '../time.js';
import { outsideRequest } from '../request/request.js';
import type { CheckResult, Settle } from './result.js';

/** Runs the check again. */
type Start = (settle: Settle) => void;

/** The last result. */
interface Last {
  readonly result: CheckResult;
  /** Until when it may be served, on the clock of `performance.now()`, which never jumps. */
  readonly until: number;
}

/**
 * The last result of a check, good or bad, for `cacheFor` milliseconds from the start of its run.
 * While heartbeats ask for it, it is renewed ahead of time in the background. An older result is never served:
 * callers then wait for a run as without a cache, and all callers meanwhile wait for the same run.
 */
export class ResultCache {
  readonly #cacheFor: number;
  /** Whether a schedule renews it, and not this cache. */
  readonly #scheduled: boolean;
  #last: Last | undefined;
  /** Callers that wait for the current run; undefined if there is none. */
  #waiting: Settle[] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the result was requested since the last run. */
  #asked = false;
  /** Whether it was due to be renewed and had not been requested. */
  #lapsed = false;
  #closed = false;

  constructor(cacheFor: number, scheduled: boolean) {
    this.#cacheFor = cacheFor;
    this.#scheduled = scheduled;
  }

  /** Calls `settle` with a result that is fresh: the last one, unless a new one is asked for, or that of a new run. */
  get(run: Start, settle: Settle, anew = false): void {
    this.#asked = true;
    const last = this.#last;
    if (!anew && last !== undefined && performance.now() < last.until) {
      settle(last.result);
      if (this.#lapsed) outsideRequest(() => this.#renew(run, []));
      return;
    }
    if (this.#waiting !== undefined) {
      this.#waiting.push(settle);
      return;
    }
    this.#renew(run, [settle]);
  }

  /** Renews nothing more in the background; callers are still answered. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #renew(run: Start, waiting: Settle[]): void {
    clearTimeout(this.#timer);
    this.#lapsed = false;
    this.#waiting = waiting;
    const started = performance.now();
    run((result) => {
      this.#last = { result, until: started + this.#cacheFor };
      this.#waiting = undefined;
      this.#asked = false;
      if (this.#scheduled) result.mark.started = started;
      else if (!this.#closed) outsideRequest(() => this.#schedule(run, performance.now() - started));
      for (const settle of waiting) settle(result);
    });
  }

  #schedule(run: Start, duration: number): void {
    // Jitter, so that the instances of a service do not ask a dependency in step.
    const wait = this.#cacheFor * (0.5 + Math.random() * 0.25) - duration;
    const renew = () => {
      // Not requested: the dependency is left in peace.
      if (this.#asked) this.#renew(run, []);
      else this.#lapsed = true;
    };
    this.#timer = later(renew, Math.max(wait, this.#cacheFor / 10));
  }
}

/** Undefined if every heartbeat runs the check. A scheduled result may be as old as two intervals: then its schedule does not work, and callers run the check. */
export function cacheOf(every: number | undefined, cacheFor: number): ResultCache | undefined {
  if (every !== undefined) return new ResultCache(2 * every, true);
  return cacheFor === 0 ? undefined : new ResultCache(cacheFor, false);
}
