import { type Clock, realClock } from '../../core/time.js';
import { call, hasMethods, property } from '../client.js';

/** How long a new connection is waited for before another one may be opened: as long as PgBouncer keeps a query by default. It doubles each time. */
const firstWait = 120_000;

/** The same for a connection that was open before, in timeouts: the network may have lost it, and another one may work. */
const timeoutsForOld = 3;

/** Connections that a check has abandoned and that still wait at the server: the check opens no further one before they are closed. */
export class Abandoned {
  readonly #clock: Clock;
  #waiting: Promise<void> | undefined;
  #until = 0;
  #wait = firstWait;

  constructor(clock: Clock = realClock) {
    this.#clock = clock;
  }

  /**
   * Adds one of a run with this timeout in milliseconds. `closed` resolves when the server has closed it too; undefined if nothing
   * shows that. A new one was opened for this check: the server has just accepted it, and keeps it waiting.
   */
  add(closed: Promise<void> | undefined, isNew: boolean, timeout: number): void {
    if (closed === undefined) return;
    this.#waiting = closed;
    // A server that never closes it may have been replaced.
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
 * Drops a connection that gave no answer and only ends its socket: a proxy that keeps its clients waiting, such as PgBouncer, does not notice that
 * a client has left, and a destroyed socket would not show when it does. Resolves when the server has closed the connection too; undefined if no server has it.
 */
export function abandon(socket: unknown, drop: () => unknown): Promise<void> | undefined {
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

/** Calls a function of a driver for a connection that was abandoned: its errors do not matter. */
export async function quietly(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch {
    // There is nothing left to close.
  }
}
