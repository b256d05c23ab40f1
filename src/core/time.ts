import { timersEndWithRequest } from './runtime.js';

export const realClock = {
  /** Milliseconds on a clock that never jumps. */
  now: () => performance.now(),
  /** From 0 to 1. */
  random: () => Math.random(),
  /** Calls back once, without keeping the process alive; returns a function that cancels it. */
  after(ms: number, then: () => void): () => void {
    const timer = later(then, ms);
    return () => clearTimeout(timer);
  },
  within,
};

/** Time and chance as the verdicts of the probes see them: a simulation has its own. */
export type Clock = Readonly<typeof realClock>;

export interface Deadline {
  /** When, on the clock of `performance.now()`. */
  readonly due: number;
  expire(): void;
}

// One timer serves every pending run: a timer per check and request would cost more than the check itself.
const waiting = new Set<Deadline>();
let armedFor = Infinity;
let timer: ReturnType<typeof setTimeout> | undefined;
/** A timer for each, on runtimes that cannot share one between requests. */
const own = new WeakMap<Deadline, ReturnType<typeof setTimeout>>();

/** Calls `deadline.expire()` once it is due, unless `unwatch` comes first. */
export function watch(deadline: Deadline): void {
  if (timersEndWithRequest) {
    const expire = () => deadline.expire();
    own.set(deadline, setTimeout(expire, deadline.due - performance.now()));
    return;
  }
  waiting.add(deadline);
  if (deadline.due < armedFor) arm(deadline.due);
}

/** Forgets a deadline. The shared timer is left: it is unref'ed and stops by itself. */
export function unwatch(deadline: Deadline): void {
  if (timersEndWithRequest) clearTimeout(own.get(deadline));
  waiting.delete(deadline);
}

/** The promise's value, or `late` when it takes longer than `ms`. The promise itself is left to end. */
export function within<T>(promise: PromiseLike<T>, ms: number, late: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = { due: performance.now() + ms, expire: () => resolve(late) };
    watch(deadline);
    const settle = (then: () => void) => {
      unwatch(deadline);
      then();
    };
    promise.then(
      (value) => settle(() => resolve(value)),
      (thrown: unknown) => settle(() => reject(thrown)),
    );
  });
}

function arm(due: number): void {
  clearTimeout(timer);
  armedFor = due;
  timer = later(afterIo, Math.max(0, due - performance.now()));
}

/** A timer that keeps no process alive. */
function later(then: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timeout = setTimeout(then, ms);
  // A number in browsers and workers, which need no `unref`.
  if (typeof timeout === 'object') timeout.unref();
  return timeout;
}

/** Milliseconds by which a timer is late on a busy loop; later than that, the loop was blocked. */
const busy = 20;
const grace = 100;

/**
 * After a blocked event loop, timers run before the answers that have been waiting in the sockets. One more turn,
 * or a little time if the loop was blocked, lets them in: a healthy dependency is not reported as timed out.
 */
function afterIo(): void {
  const now = performance.now();
  const late = now - armedFor;
  const expireDue = () => sweep(now);
  if (late > busy) later(expireDue, Math.min(late, grace));
  else soon(expireDue);
}

/** Expires deadlines that were due at `time`; later ones get their own turn, for the loop may have been blocked since. */
function sweep(time: number): void {
  let next = Infinity;
  const due: Deadline[] = [];
  for (const deadline of waiting) {
    // Timers may fire up to a millisecond early.
    if (deadline.due <= time + 1) due.push(deadline);
    else if (deadline.due < next) next = deadline.due;
  }
  // First, because callbacks may add deadlines.
  armedFor = Infinity;
  if (next < Infinity) arm(next);
  expire(due.toSorted((one, other) => one.due - other.due));
}

/** Expires each moment in a turn of its own: a check that says who did not answer comes before the end of its run, also if the loop was blocked past both. */
function expire(due: readonly Deadline[]): void {
  const [first] = due;
  if (first === undefined) return;
  const rest = due.filter((deadline) => deadline.due > first.due + 1);
  if (rest.length > 0) soon(() => expire(rest));
  for (const deadline of due.slice(0, due.length - rest.length)) {
    if (!waiting.has(deadline)) continue;
    unwatch(deadline);
    deadline.expire();
  }
}

const soon = (then: () => void) => void (globalThis.setImmediate ?? setTimeout)(then);

/** Keeps the process alive until the promise has ended: the timer of deadlines does not, and a script that only waits would end first. */
export function stayFor<T>(promise: Promise<T>): Promise<T> {
  if (timersEndWithRequest) return promise;
  // A timer accepts no more milliseconds.
  const stay = setTimeout(() => {}, 2 ** 31 - 1);
  return promise.finally(() => clearTimeout(stay));
}

/** A time for operators: in a unit that keeps the number short. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
