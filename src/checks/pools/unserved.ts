import { type Clock, realClock } from '../../core/time.js';
import { call, hasMethods, property } from '../client.js';

/** How long a new connection is waited for before another one may be opened: as long as PgBouncer keeps a query by default. It doubles each time. */
const firstWait = 120_000;

/** The same for one that may have been lost on the way, in timeouts: another one may work. */
const timeoutsForOld = 3;

/** The connections of one check that still wait at a server: it opens no further one before they are closed. A server that never closes them may have been replaced. */
export class Unserved {
  readonly #clock: Clock;
  #waiting: Promise<void> | undefined;
  #until = 0;
  #wait = firstWait;

  constructor(clock: Clock = realClock) {
    this.#clock = clock;
  }

  /**
   * A connection was abandoned by a run with this timeout in milliseconds. `closed` resolves when the server has closed it too; undefined if nothing
   * shows that. One that is new was opened for this check: the server has accepted it a moment ago, and keeps it waiting.
   */
  add(closed: Promise<void> | undefined, isNew: boolean, timeout: number): void {
    if (closed === undefined) return;
    this.#waiting = closed;
    this.#until = this.#clock.now() + (isNew ? this.#wait : timeout * timeoutsForOld);
    if (isNew) this.#wait *= 2;
    void closed.then(() => {
      if (this.#waiting === closed) this.reset();
    });
  }

  /** The server has answered, or has closed the waiting connections. */
  reset(): void {
    this.#waiting = undefined;
    this.#wait = firstWait;
  }

  /** Whether a connection may be opened: resolves as soon as it may, or after this many milliseconds. */
  async isClear(time: number): Promise<boolean> {
    if (this.#waiting === undefined) return true;
    const rest = Math.max(0, this.#until - this.#clock.now());
    const closed = this.#waiting.then(() => true);
    return this.#clock.within(closed, Math.min(time, rest), rest <= time);
  }
}

/**
 * Drops a connection that gave no answer, without closing its socket: the socket is only ended. A proxy that keeps its clients waiting, such as PgBouncer,
 * does not notice that a client has left, and a closed socket would not show when it does. Resolves when the server has closed the connection too;
 * undefined if no server has it.
 */
export function partFrom(socket: unknown, drop: () => unknown): Promise<void> | undefined {
  void quietly(() => call(socket, 'on', 'error', ignore));
  const isOpen = property(socket, 'destroyed') !== true && property(socket, 'connecting') !== true;
  if (!isOpen || !hasMethods(socket, 'destroy', 'end', 'resume', 'once', 'removeAllListeners')) {
    void quietly(drop);
    void quietly(() => call(socket, 'destroy'));
    return undefined;
  }
  // Drivers destroy the socket of a connection that they drop.
  Object.defineProperty(socket, 'destroy', { value: () => socket, configurable: true });
  void quietly(drop);
  Reflect.deleteProperty(socket, 'destroy');
  call(socket, 'removeAllListeners', 'data');
  const closed = new Promise<void>((resolve) => void call(socket, 'once', 'close', () => resolve()));
  for (const method of ['end', 'resume', 'unref']) void quietly(() => call(socket, method));
  return closed;
}

/** A listener for errors that are not needed: without one, they end the process. */
export const ignore = (): void => {};

/** Calls a function of a driver. Its errors are about a connection that was abandoned. */
export async function quietly(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch {
    // There is nothing left to close.
  }
}
