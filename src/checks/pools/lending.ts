import { type Clock, realClock, within } from '../../core/time.js';
import { deadlineOf } from '../../core/heartbeat/run.js';
import { attempt } from '../../core/runtime.js';
import { call, hasMethods, property } from '../client.js';
import { late, orAborted, type Starter, timeToWait, unlessLate } from '../flight.js';
import { connectingTookTooLong, reasonOf } from '../reasons.js';
import { isFull, NoConnection, NotServed, type PoolUsage } from './pool.js';

/** A connection that was asked of a pool. */
interface Request<Connection> {
  readonly connection: Promise<Connection>;
  /** Ends a connection that is still being made for this request; returns when the server has closed it too, or false if it cannot be ended. */
  readonly abandon?: () => Promise<void> | undefined | false;
  /** Whether a server had accepted the connection that is being made; undefined if nothing shows it. */
  readonly wasAccepted?: () => boolean | undefined;
  /** Whether a connection that was granted was made for this request. */
  readonly isNew?: (connection: Connection) => boolean;
  /** Whether the pool ends a request by itself before long, and no second one is of any use meanwhile. */
  readonly endsItself?: boolean;
}

/** How a connection is taken from a pool and given back. */
export interface Lender<Connection> {
  acquire(): Request<Connection>;
  release(connection: Connection): unknown;
  /** Takes a connection out of the pool that gave no answer: its slot is free again. Returns when the server has closed it too. Some pools have no way to. */
  readonly destroy?: (connection: Connection) => Promise<void> | undefined;
  /** The counts of the pool. */
  readonly usage?: () => PoolUsage | undefined;
  /** Why the pool makes no connection, if it says so. */
  readonly failure?: () => unknown;
}

/** Uses one connection of the pool. */
export type Lend<Connection> = <T>(
  use: (connection: Connection) => Promise<T>,
  starter: Starter,
) => Promise<T>;

/** A request and the run that waits for it. */
interface PendingRequest<Connection> extends Request<Connection> {
  readonly askedAt: number;
  /** When it is abandoned, if it can be. */
  readonly until: number;
  taken: boolean;
}

/**
 * A request without a connection is kept for this many timeouts: connecting may take longer than one of them. One that
 * cannot be ended may hold a slot forever: each further one is made after twice the time, as the core does with runs.
 */
export const minBackoff = 3;

export const maxBackoff = 96;

/**
 * Lends connections of a pool. Most pools cannot take back a request: a run that cannot wait any longer leaves
 * its request to the next run, so that a storm of heartbeats has one request in the pool's queue at most.
 * A connection that arrives after its caller has given up is returned at once.
 */
export function lending<Connection>(lender: Lender<Connection>): Lend<Connection> {
  const queue = new RequestQueue(lender);
  return async (use, starter) => {
    const { signal } = starter;
    const time = deadlineOf(signal) - performance.now();
    const { connection, isNew } = await queue.take(starter, time);
    const { destroy } = lender;
    try {
      signal.throwIfAborted();
      // A connection that cannot be destroyed is in use until it answers, and the run with it: nothing piles up.
      const answer = await (destroy === undefined ? use(connection) : orAborted(use(connection), signal));
      queue.unserved.reset();
      return answer;
    } finally {
      if (signal.aborted && destroy !== undefined) {
        // A driver that throws has lost the connection.
        queue.unserved.add(
          attempt(() => destroy(connection)),
          isNew,
          time,
        );
      } else await released(() => lender.release(connection));
    }
  };
}

/** The one request that runs of a check have in the queue of a pool. */
class RequestQueue<Connection> {
  readonly unserved = new Unserved();
  readonly #lender: Lender<Connection>;
  #left: PendingRequest<Connection> | undefined;
  #backoff = minBackoff;
  /** Why the last request failed, until one is granted: the next one may only wait until its time is up. */
  #failure: unknown;

  constructor(lender: Lender<Connection>) {
    this.#lender = lender;
  }

  /** A connection, and whether it was made for the request. */
  async take({ signal }: Starter, time: number): Promise<{ connection: Connection; isNew: boolean }> {
    const asked = await this.#request(signal, time);
    try {
      const connection = await orAborted(unlessLate(asked.connection, signal), signal);
      if (connection !== late) {
        this.#backoff = minBackoff;
        this.#failure = undefined;
        return { connection, isNew: asked.isNew?.(connection) === true };
      }
    } catch (thrown) {
      if (signal.aborted) this.#leave(asked, time);
      else this.#noteFailure(asked, thrown, time);
      throw reasonOf(thrown).fault === 'exhausted' ? new NoConnection(this.#lender.usage?.()) : thrown;
    }
    const usage = withoutOwn(this.#lender.usage?.());
    this.#leave(asked, time);
    throw knownCause(usage, this.#lender.failure?.() ?? this.#failure) ?? new NoConnection(usage);
  }

  async #request(signal: AbortSignal, time: number): Promise<PendingRequest<Connection>> {
    const asked = this.#kept(time);
    if (asked !== undefined) return asked;
    if (this.unserved.isWaiting && !(await this.unserved.isClear(timeToWait(signal))))
      throw this.#failure ?? new NotServed();
    const made = this.#lender.acquire();
    const askedAt = performance.now();
    const until = made.endsItself === true ? Infinity : askedAt + time * this.#backoff;
    return { ...made, askedAt, until, taken: true };
  }

  /** The request that was left, unless it is overdue. */
  #kept(time: number): PendingRequest<Connection> | undefined {
    const asked = this.#left;
    this.#left = undefined;
    if (asked === undefined) return undefined;
    if (performance.now() < asked.until) {
      asked.taken = true;
      return asked;
    }
    if (!this.#abandon(asked, time)) this.#backoff = Math.min(this.#backoff * 2, maxBackoff);
    return undefined;
  }

  /** Ends a connection that is being made; false if it cannot be ended. */
  #abandon(asked: PendingRequest<Connection>, time: number): boolean {
    const gone = asked.abandon?.() ?? (asked.abandon === undefined ? false : undefined);
    if (gone === false) return false;
    this.unserved.add(gone, true, time);
    return true;
  }

  /** A request failed. If the client gave up connecting, the server may still have that connection in its queue. */
  #noteFailure(asked: PendingRequest<Connection>, thrown: unknown, time: number): void {
    this.#failure = thrown;
    // A pool that connects by itself does so whether it is asked or not.
    if (asked.endsItself === true || asked.wasAccepted?.() === false) return;
    if (isLate(thrown, this.#lender.usage?.())) this.unserved.addLost(time, asked.askedAt);
  }

  /** Leaves a request to the next run. */
  #leave(asked: PendingRequest<Connection>, time: number): void {
    asked.taken = false;
    this.#left ??= asked;
    const forget = () => {
      if (this.#left === asked) this.#left = undefined;
    };
    const unneeded = asked.connection.then(
      (connection) => {
        if (asked.taken) return;
        asked.taken = true;
        forget();
        void released(() => this.#lender.release(connection));
      },
      (thrown: unknown) => {
        if (!asked.taken) this.#noteFailure(asked, thrown, time);
        forget();
      },
    );
    if (asked.abandon === undefined) return;
    const settled = unneeded.then(() => true);
    void within(settled, Math.max(0, asked.until - performance.now()), false).then((isSettled) => {
      if (!isSettled && !asked.taken && this.#abandon(asked, time)) forget();
    });
  }
}

/** Why a pool with room gives no connection, if known; not the reason why the request itself ended. */
function knownCause(usage: PoolUsage | undefined, failure: unknown): unknown {
  if (failure === undefined || usage === undefined || isFull(usage)) return undefined;
  const { fault } = reasonOf(failure);
  return fault === 'unreachable' || fault === 'full' || fault === 'misconfigured' ? failure : undefined;
}

/** Whether a client took too long to connect; one whose pool is full did not try to. */
function isLate(thrown: unknown, usage: PoolUsage | undefined): boolean {
  if (usage !== undefined && isFull(usage)) return false;
  const { fault, text } = reasonOf(thrown);
  return fault === 'exhausted' || text.startsWith(connectingTookTooLong);
}

/** Our own request is not one of those that wait for the application. */
function withoutOwn(usage: PoolUsage | undefined): PoolUsage | undefined {
  return usage?.waiting === undefined ? usage : { ...usage, waiting: Math.max(0, usage.waiting - 1) };
}

/** The connection may have broken before it is given back. */
async function released(give: () => unknown): Promise<void> {
  try {
    await give();
  } catch {
    // It is out of the pool then.
  }
}

/** How long a new connection is waited for before another one may be opened: as long as PgBouncer keeps a query by default. It doubles each time. */
const firstWait = 120_000;

/** The same for one that may have been lost on the way, in timeouts: another one may work. */
const timeoutsForOld = 3;

/** The most for one that the client gave up itself. */
const maxWaitForLost = 60_000;

const never = new Promise<void>(() => {});

/** The connections of one check that still wait at a server: it opens no further one before they are closed. A server that never closes them may have been replaced. */
export class Unserved {
  readonly #clock: Clock;
  #waiting: Promise<void> | undefined;
  #until = 0;
  #wait = firstWait;
  #lost = 0;
  #lostAt = -Infinity;

  constructor(clock: Clock = realClock) {
    this.#clock = clock;
  }

  /**
   * A connection was given up by a run with this timeout in milliseconds. `gone` settles when the server has closed it too; undefined if nothing
   * shows that. One that is new was opened for this check: the server has accepted it a moment ago, and keeps it waiting.
   */
  add(gone: Promise<void> | undefined, isNew: boolean, time: number): void {
    if (gone === undefined) return;
    this.#waiting = gone;
    this.#until = this.#clock.now() + (isNew ? this.#wait : time * timeoutsForOld);
    if (isNew) this.#wait *= 2;
    void gone.then(() => {
      if (this.#waiting === gone) this.reset();
    });
  }

  /**
   * The client itself gave up a connection that was being made: nothing shows whether the server still has it. `askedAt`: when it was
   * asked for. Several that were asked for before the first was lost, as all that wait for one connection of Sequelize, are one loss.
   */
  addLost(time: number, askedAt = Infinity): void {
    if (askedAt < this.#lostAt) return;
    const wait = Math.min(maxWaitForLost, time * timeoutsForOld * 2 ** this.#lost);
    this.#lost += 1;
    this.#lostAt = this.#clock.now();
    this.#waiting = never;
    this.#until = this.#lostAt + wait;
  }

  /** The server has answered, or has closed the waiting connections. */
  reset(): void {
    this.#waiting = undefined;
    this.#wait = firstWait;
    this.#lost = 0;
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
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
 * does not notice that a client has left, and a closed socket would not show when it does. Settles when the server has closed the connection too;
 * undefined if no server has it.
 */
export function partFrom(socket: unknown, drop: () => unknown): Promise<void> | undefined {
  const isOpen = property(socket, 'destroyed') !== true && property(socket, 'connecting') !== true;
  if (!isOpen || !hasMethods(socket, 'destroy', 'end', 'resume', 'once', 'removeAllListeners')) {
    quietly(() => call(socket, 'on', 'error', ignore));
    quietly(drop);
    quietly(() => call(socket, 'destroy'));
    return undefined;
  }
  // Drivers destroy the socket of a connection that they drop.
  Object.defineProperty(socket, 'destroy', { value: () => socket, configurable: true });
  quietly(drop);
  Reflect.deleteProperty(socket, 'destroy');
  call(socket, 'removeAllListeners', 'data');
  call(socket, 'on', 'error', ignore);
  const gone = new Promise<void>((resolve) => void call(socket, 'once', 'close', () => resolve()));
  for (const method of ['end', 'resume', 'unref']) quietly(() => call(socket, method));
  return gone;
}

/** Whether a server has accepted the connection of a socket, which may be closed by now; undefined for anything else. */
export function wasAccepted(socket: unknown): boolean | undefined {
  const written = property(socket, 'bytesWritten');
  return typeof written === 'number' ? property(socket, 'connecting') !== true && written > 0 : undefined;
}

const ignore = () => {};

/** Calls a function of a driver. Its errors are about a connection that was given up. */
export function quietly(act: () => unknown): void {
  try {
    const returned = act();
    void Promise.resolve(returned).catch(ignore);
  } catch {
    // There is nothing left to close.
  }
}
