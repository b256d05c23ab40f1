import { timersEndWithRequest } from '../runtime.js';
import { outsideRequest } from '../request/request.js';
import type { CheckResult } from './result.js';

/**
 * Runs of one check that may be under way at once; further callers wait for the latest of them.
 * Nothing is shared on runtimes that do not let a request await the promise of another.
 */
function maxConcurrent(coalesce: boolean): number {
  if (timersEndWithRequest) return Infinity;
  return coalesce ? 1 : 10;
}

/**
 * After this many timeouts a hung run is given up and one new run may start. Longer while `lost` runs that were given up before
 * are still open: each may hold a connection. By 96 times 5 s even Linux has given up a connection without an answer.
 */
export function backoffAfter(lost: number): number {
  return Math.min(3 * 2 ** lost, 96);
}

/** Runs that hang at the same time, and are given up together. */
interface Hung {
  /** When the oldest was started, in milliseconds since 1970. */
  readonly since: number;
  /** The text of the timeout of the oldest. */
  readonly cause: string;
  /** When they are given up, on the clock of `performance.now()`. */
  readonly until: number;
  /** How many have not settled. */
  open: number;
}

/** The runs of one check that have not settled: which to wait for, and whether another may be started. */
export class OpenRuns<Run extends object> {
  readonly #limit: number;
  /** How many are under way, and the latest of them. */
  #underway = 0;
  #latest: Run | undefined;
  readonly #hungIn = new WeakMap<Run, Hung>();
  #hung: Hung | undefined;
  /** Groups of hung runs that were given up and have not settled. */
  #lost = 0;
  /** Whether the run under way is the one that is tried after others hung. */
  #retrying = false;

  constructor(coalesce = false) {
    this.#limit = maxConcurrent(coalesce);
  }

  /** The run to wait for instead of starting another; undefined if another may be started. */
  get shared(): Run | undefined {
    return this.#underway >= (this.#retrying ? 1 : this.#limit) ? this.#latest : undefined;
  }

  /** Since when runs hang, in milliseconds since 1970; undefined if none does, or if they have been given up. */
  hungSince(now: number): number | undefined {
    const hung = this.#hung;
    if (hung === undefined) return undefined;
    if (now < hung.until) return hung.since;
    this.#hung = undefined;
    this.#lost += 1;
    this.#retrying = true;
    return undefined;
  }

  /** Why the runs that hang were given up. */
  get cause(): string | undefined {
    return this.#hung?.cause;
  }

  start(run: Run): void {
    this.#underway += 1;
    this.#latest = run;
  }

  /** A run has settled in time. */
  end(run: Run): void {
    this.#remove(run);
  }

  /** A run has timed out and has not settled; it may never do so. */
  hang(run: Run, since: number, now: number, timeout: number, cause: string): void {
    this.#remove(run);
    this.#hung ??= { since, cause, until: now + timeout * backoffAfter(this.#lost), open: 0 };
    this.#hung.open += 1;
    this.#hungIn.set(run, this.#hung);
  }

  /** A run that had timed out has settled after all. */
  endLate(run: Run): void {
    const hung = this.#hungIn.get(run);
    if (hung === undefined) return;
    hung.open -= 1;
    if (hung.open > 0) return;
    if (hung === this.#hung) this.#hung = undefined;
    else this.#lost -= 1;
  }

  #remove(run: Run): void {
    this.#underway -= 1;
    if (this.#latest === run) this.#latest = undefined;
    this.#retrying = false;
  }
}

type Settle = (result: CheckResult) => void;
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

  constructor(cacheFor: number, scheduled = false) {
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
    this.#timer = setTimeout(
      () => {
        // Not requested: the dependency is left in peace.
        if (this.#asked) this.#renew(run, []);
        else this.#lapsed = true;
      },
      Math.max(wait, this.#cacheFor / 10),
    );
    // A number in browsers and workers, which need no `unref`.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }
}

/** A scheduled result may be as old as two intervals: then its schedule does not work, and callers run the check. */
export const cacheOf = (every: number | undefined, cacheFor: number): ResultCache =>
  every === undefined ? new ResultCache(cacheFor) : new ResultCache(2 * every, true);
