import { deadlineOf } from '../core/heartbeat/run.js';
import { within } from '../core/time.js';

/**
 * One call at a time: a run that comes while one is under way waits for its answer. It ends after the run began, so it is true for
 * that run too, and a storm of heartbeats takes one slot of a pool. It is abandoned when the time of the run that started it is up, or after
 * `patience` times that time: it may never end.
 */
export function oneAtATime<T>(
  start: (signal: AbortSignal) => Promise<T>,
  patience?: number,
): (signal: AbortSignal) => Promise<T> {
  let current: { readonly answer: Promise<T>; readonly isAbandoned: () => boolean } | undefined;
  return (signal) => {
    if (current !== undefined && !current.isAbandoned()) return current.answer;
    const now = performance.now();
    const until = now + (deadlineOf(signal) - now) * (patience ?? 1);
    const call = {
      isAbandoned: () => (patience === undefined ? signal.aborted : performance.now() >= until),
      answer: start(signal).finally(() => {
        if (current === call) current = undefined;
      }),
    };
    current = call;
    return call.answer;
  };
}

/** The answer, or a rejection as soon as the signal fires; a later answer is dropped. */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The share of its time after which a run without an answer says what it waits for, before the core says that it hangs. */
const waitingShare = 0.9;

/** How long a run may wait for something, in milliseconds; Infinity without a limit. */
export const timeToWait = (signal: AbortSignal, share = waitingShare): number =>
  Math.max(1, (deadlineOf(signal) - performance.now()) * share);

export const late = Symbol('late');

/** The answer, or `late` shortly before the time of the run is up. */
export const unlessLate = <T>(
  answer: PromiseLike<T>,
  signal: AbortSignal,
  share?: number,
): Promise<T | typeof late> => within<T | typeof late>(answer, timeToWait(signal, share), late);
