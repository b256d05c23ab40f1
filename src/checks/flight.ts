/** What is shared needs the signal of the run that starts it, and of no other. */
interface Starter {
  readonly signal: AbortSignal;
}

/**
 * One round trip at a time: who asks while one is under way waits for that one. It ends after they asked, so
 * its outcome is true for them, and a storm of heartbeats never takes more than one slot of a pool.
 */
export function inFlight<T>(start: (signal: AbortSignal) => Promise<T>): (starter: Starter) => Promise<T> {
  let current: Promise<T> | undefined;
  return (starter) => {
    current ??= start(starter.signal).finally(() => {
      current = undefined;
    });
    return current;
  };
}

/** How a connection is taken from a pool, used and given back. */
export interface Loan<Connection, T> {
  acquire(): Promise<Connection>;
  use(connection: Connection): Promise<T>;
  release(connection: Connection): unknown;
  /** Takes a connection out of the pool that gave no answer: its slot is free again. */
  destroy(connection: Connection): unknown;
}

/**
 * Uses a connection of a pool until the answer is there or the signal fires; then the connection is destroyed.
 * No pool can take back the wish for a connection: a run that was given up before it got one ends when it gets
 * one, and until then no other is started.
 */
export async function borrow<Connection, T>(loan: Loan<Connection, T>, signal: AbortSignal): Promise<T> {
  const connection = await loan.acquire();
  const late = signal.aborted;
  try {
    signal.throwIfAborted();
    return await orAborted(loan.use(connection), signal);
  } finally {
    try {
      await (signal.aborted && !late ? loan.destroy(connection) : loan.release(connection));
    } catch {
      // The connection broke before it was given back.
    }
  }
}

/** The answer, or a rejection as soon as the signal fires; the answer is then nobody's. */
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
