/** The run that starts something. */
export interface Starter {
  readonly signal: AbortSignal;
}

/**
 * One round trip at a time: who asks while one is under way waits for that one. It ends after they asked, so
 * its outcome is true for them, and a storm of heartbeats never takes more than one slot of a pool.
 * One whose time is up is not joined: it may never end, and the core starts new runs rarely then.
 */
export function inFlight<T>(start: (starter: Starter) => Promise<T>): (starter: Starter) => Promise<T> {
  let current: { readonly outcome: Promise<T>; readonly signal: AbortSignal } | undefined;
  return (starter) => {
    if (current !== undefined && !current.signal.aborted) return current.outcome;
    const flight = {
      signal: starter.signal,
      outcome: start(starter).finally(() => {
        if (current === flight) current = undefined;
      }),
    };
    current = flight;
    return flight.outcome;
  };
}

/** The answer, or a rejection as soon as the signal fires; a later answer is dropped. */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    const settle = (then: () => void) => {
      signal.removeEventListener('abort', giveUp);
      then();
    };
    answer.then(
      (value) => settle(() => resolve(value)),
      (thrown: unknown) => settle(() => reject(thrown)),
    );
  });
}
