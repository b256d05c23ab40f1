import { type Clock, realClock } from '../../core/time.js';
import { deadlineOf } from '../../core/heartbeat/run.js';
import { attempt } from '../../core/runtime.js';
import { call, hasMethods, property } from '../client.js';
import { late, orAborted, type Starter, timeToWait, unlessLate } from '../flight.js';
import { reasonOf } from '../reasons.js';
import { isFull, NoConnection, NotServed, type PoolUsage } from './pool.js';

/** A connection that was asked of a pool. */
interface Request<Connection> {
  readonly connection: Promise<Connection>;
  /** Ends the connection that is being made for this request; resolves when the server has closed it too. */
  readonly cancel?: (() => Promise<void> | undefined) | undefined;
}

/** A pool, as a check borrows connections from it. */
export interface Pool<Connection> {
  acquire(): Request<Connection>;
  release(connection: Connection): unknown;
  /** Takes a connection out of the pool that gave no answer: its slot is free again. Resolves when the server has closed it too. Some pools have no way to. */
  readonly destroy?: (connection: Connection) => Promise<void> | undefined;
  readonly usage?: () => PoolUsage | undefined;
  /** Whether it ends a request by itself before long: a second one would only take another slot meanwhile. */
  readonly endsRequests?: boolean;
}

/** Uses one connection of the pool. */
type Lend<Connection> = <T>(use: (connection: Connection) => Promise<T>, starter: Starter) => Promise<T>;

/**
 * A request without a connection is kept for this many timeouts: connecting may take longer than one of them. One that
 * cannot be ended may hold a slot forever: each further one is made after twice the time, as the core does with runs.
 */
export const minBackoff = 3;

const maxBackoff = 96;

/**
 * Lends connections of a pool. Most pools cannot take back a request: a run that cannot wait any longer leaves
 * its request to the next run, so that a storm of heartbeats has one request in the pool's queue at most.
 */
export function lending<Connection>(pool: Pool<Connection>): Lend<Connection> {
  const queue = new RequestQueue(pool);
  return async (use, starter) => {
    const { signal } = starter;
    const time = deadlineOf(signal) - performance.now();
    const { connection, isNew } = await queue.take(signal, time);
    const { destroy } = pool;
    try {
      signal.throwIfAborted();
      // A connection that cannot be destroyed is in use until it answers, and the run with it: nothing piles up.
      const answer = await (destroy === undefined ? use(connection) : orAborted(use(connection), signal));
      queue.unserved.reset();
      return answer;
    } finally {
      if (signal.aborted && destroy !== undefined) {
        // A driver that throws has lost the connection.
        const closed = attempt(() => destroy(connection));
        queue.unserved.add(closed, isNew, time);
      } else await quietly(() => pool.release(connection));
    }
  };
}

/** A request and the run that waits for it. */
interface PendingRequest<Connection> extends Request<Connection> {
  /** Whether a connection is being made for it. */
  readonly isNew: boolean;
  /** When another one may be made beside it. */
  readonly until: number;
  awaited: boolean;
}

/** The one request that the runs of a check have in the queue of a pool. */
class RequestQueue<Connection> {
  readonly unserved = new Unserved();
  readonly #pool: Pool<Connection>;
  #kept: PendingRequest<Connection> | undefined;
  #backoff = minBackoff;
  /** Why the last request failed, until one is granted: the next one may only wait until its time is up. */
  #failure: unknown;

  constructor(pool: Pool<Connection>) {
    this.#pool = pool;
  }

  /** A connection, and whether it was made for the request. */
  async take(
    signal: AbortSignal,
    time: number,
  ): Promise<{ readonly connection: Connection; readonly isNew: boolean }> {
    const request = this.#keptRequest(time) ?? (await this.#request(signal, time));
    try {
      const connection = await orAborted(unlessLate(request.connection, signal), signal);
      if (connection !== late) {
        this.#backoff = minBackoff;
        this.#failure = undefined;
        return { connection, isNew: request.isNew };
      }
    } catch (thrown) {
      if (signal.aborted) this.#keep(request);
      else this.#failure = thrown;
      throw reasonOf(thrown).fault === 'exhausted' ? new NoConnection(this.#pool.usage?.()) : thrown;
    }
    const usage = withoutOwn(this.#pool.usage?.());
    this.#keep(request);
    throw knownCause(usage, this.#failure) ?? new NoConnection(usage);
  }

  async #request(signal: AbortSignal, time: number): Promise<PendingRequest<Connection>> {
    if (!(await this.unserved.isClear(timeToWait(signal)))) throw this.#failure ?? new NotServed();
    const connecting = () => this.#pool.usage?.()?.connecting ?? 0;
    const before = connecting();
    const request = this.#pool.acquire();
    const until = this.#pool.endsRequests === true ? Infinity : performance.now() + time * this.#backoff;
    return { ...request, isNew: connecting() > before, until, awaited: true };
  }

  /** The request of an earlier run, unless it is overdue. */
  #keptRequest(time: number): PendingRequest<Connection> | undefined {
    const request = this.#kept;
    this.#kept = undefined;
    if (request === undefined) return undefined;
    if (performance.now() < request.until) {
      request.awaited = true;
      return request;
    }
    if (request.cancel === undefined) this.#backoff = Math.min(this.#backoff * 2, maxBackoff);
    else this.unserved.add(attempt(request.cancel), true, time);
    return undefined;
  }

  /** Leaves a request to the next run. A connection that comes before that is returned at once. */
  #keep(request: PendingRequest<Connection>): void {
    request.awaited = false;
    this.#kept = request;
    const forget = () => {
      if (this.#kept === request) this.#kept = undefined;
    };
    request.connection.then(
      (connection) => {
        if (request.awaited) return;
        request.awaited = true;
        forget();
        void quietly(() => this.#pool.release(connection));
      },
      (thrown: unknown) => {
        if (!request.awaited) this.#failure = thrown;
        forget();
      },
    );
  }
}

/** Why a pool with room gives no connection, if known; not the reason why the request itself ended. */
function knownCause(usage: PoolUsage | undefined, failure: unknown): unknown {
  if (failure === undefined || usage === undefined || isFull(usage)) return undefined;
  return /^(unreachable|full|misconfigured)$/.test(reasonOf(failure).fault) ? failure : undefined;
}

/** Our own request is not one of those that wait for the application. */
function withoutOwn(usage: PoolUsage | undefined): PoolUsage | undefined {
  return usage?.waiting === undefined ? usage : { ...usage, waiting: Math.max(0, usage.waiting - 1) };
}

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
  add(closed: Promise<void> | undefined, isNew: boolean, time: number): void {
    if (closed === undefined) return;
    this.#waiting = closed;
    this.#until = this.#clock.now() + (isNew ? this.#wait : time * timeoutsForOld);
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
    const wait = Math.max(0, Math.min(time, this.#until - this.#clock.now()));
    return this.#clock.within(
      this.#waiting.then(() => true),
      wait,
      this.#clock.now() + wait >= this.#until,
    );
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
