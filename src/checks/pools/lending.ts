import { deadlineOf } from '../../core/heartbeat/abort.js';
import { within } from '../../core/deadlines.js';
import { orAborted, type Starter } from '../flight.js';
import { isFull, NoConnection, type PoolUsage } from './pool.js';
import { NotServed, Unserved } from './unserved.js';
import { connectingTookTooLong, reasonOf } from '../reasons.js';

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

/** A connection, and whether it was made for the request. */
interface Granted<Connection> {
  readonly connection: Connection;
  readonly isNew: boolean;
}

/**
 * A request without a connection is kept for this many timeouts: connecting may take longer than one of them. One that
 * cannot be ended may hold a slot forever: each further one is made after twice the time, as the core does with runs.
 */
export const minBackoff = 3;
export const maxBackoff = 96;
/** The share of its time after which a run without a connection says so, before the core says that it hangs. */
export const waitingShare = 0.9;

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
        queue.unserved.add({ gone: goneOf(() => destroy(connection)), isNew }, time);
      } else await quietly(() => lender.release(connection));
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

  async take(starter: Starter, time: number): Promise<Granted<Connection>> {
    const asked = await this.#request(time);
    const { connection } = asked;
    const rest = deadlineOf(starter.signal) - performance.now();
    try {
      const limited =
        rest === Infinity
          ? connection
          : within<Connection | undefined>(connection, rest * waitingShare, undefined);
      const granted = await orAborted(limited, starter.signal);
      if (granted !== undefined) {
        this.#backoff = minBackoff;
        this.#failure = undefined;
        return { connection: granted, isNew: asked.isNew?.(granted) === true };
      }
    } catch (thrown) {
      if (starter.signal.aborted) this.#leave(asked, time);
      else this.#noteFailure(asked, thrown, time);
      throw reasonOf(thrown).fault === 'exhausted' ? new NoConnection(this.#lender.usage?.()) : thrown;
    }
    const usage = withoutOwn(this.#lender.usage?.());
    this.#leave(asked, time);
    throw knownCause(usage, this.#lender.failure?.() ?? this.#failure) ?? new NoConnection(usage);
  }

  async #request(time: number): Promise<PendingRequest<Connection>> {
    const asked = this.#kept(time);
    if (asked !== undefined) return asked;
    if (this.unserved.isWaiting && !(await this.unserved.isClear(time * waitingShare)))
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
    this.unserved.add({ gone, isNew: true }, time);
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
        void quietly(() => this.#lender.release(connection));
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

/** The result of `destroy`; a driver that throws has lost the connection. */
function goneOf(destroy: () => Promise<void> | undefined): Promise<void> | undefined {
  try {
    return destroy();
  } catch {
    return undefined;
  }
}

/** The connection may have broken before it is given back. */
async function quietly(give: () => unknown): Promise<void> {
  try {
    await give();
  } catch {
    // It is out of the pool then.
  }
}
