import { dueOf } from '../../core/heartbeat/abort.js';
import { within } from '../../core/deadlines.js';
import { orAborted, type Starter } from '../flight.js';
import { isFull, NoConnection, type PoolUsage } from './pool.js';
import { reasonOf } from '../reasons.js';

/** A connection that was asked of a pool. */
interface Request<Connection> {
  readonly connection: Promise<Connection>;
  /** Ends a connection that is still being made for this request; false where it cannot. */
  readonly abandon?: () => boolean;
  /** Whether the pool ends a request by itself before long, and no second one is of any use meanwhile. */
  readonly endsItself?: boolean;
}

/** How a connection is taken from a pool and given back. */
export interface Lender<Connection> {
  ask(): Request<Connection>;
  release(connection: Connection): unknown;
  /** Takes a connection out of the pool that gave no answer: its slot is free again. Some pools have no way to. */
  readonly destroy?: (connection: Connection) => unknown;
  /** What the pool tells about itself. */
  readonly usage?: () => PoolUsage | undefined;
  /** Why the pool makes no connection, where it tells. */
  readonly failure?: () => unknown;
}

/** Uses one connection of the pool. */
export type Lend<Connection> = <T>(
  use: (connection: Connection) => Promise<T>,
  starter: Starter,
) => Promise<T>;

/** A request and the run that waits for it. */
interface Asked<Connection> extends Request<Connection> {
  /** When it is abandoned, where it can be. */
  readonly until: number;
  taken: boolean;
}

/**
 * A request without a connection is kept for so many timeouts: connecting may take longer than one of them. One that
 * cannot be ended may hold a slot forever: each further one is made after twice the time, as the core does with runs.
 */
export const shortest = 3;
export const longest = 96;
/** The share of its time after which a run without a connection says so, before the core says that it hangs. */
export const waitingShare = 0.9;

/**
 * Lends connections of a pool. Most pools cannot take back a request: a run that cannot wait any longer leaves
 * its request to the next run, so that a storm of heartbeats has one request in the pool's queue at most.
 * What a request gets when nobody waits for it is given back at once.
 */
export function lending<Connection>(lender: Lender<Connection>): Lend<Connection> {
  let left: Asked<Connection> | undefined;
  let patience = shortest;
  /** Why the last request failed, until one is granted: the next one may only wait until its time is up. */
  let failure: unknown;

  function ask(time: number): Asked<Connection> {
    const asked = left;
    left = undefined;
    if (asked !== undefined && performance.now() < asked.until) {
      asked.taken = true;
      return asked;
    }
    if (asked !== undefined && asked.abandon?.() !== true) patience = Math.min(patience * 2, longest);
    const made = lender.ask();
    const until = made.endsItself === true ? Infinity : performance.now() + time * patience;
    return { ...made, until, taken: true };
  }

  async function take(starter: Starter): Promise<Connection> {
    const time = dueOf(starter.signal) - performance.now();
    const asked = ask(time);
    const { connection } = asked;
    try {
      const limited =
        time === Infinity
          ? connection
          : within<Connection | undefined>(connection, time * waitingShare, undefined);
      const granted = await orAborted(limited, starter.signal);
      if (granted !== undefined) {
        patience = shortest;
        failure = undefined;
        return granted;
      }
    } catch (thrown) {
      if (starter.signal.aborted) leave(asked);
      else failure = thrown;
      throw reasonOf(thrown).fault === 'exhausted' ? new NoConnection(lender.usage?.()) : thrown;
    }
    const usage = withoutOwn(lender.usage?.());
    leave(asked);
    throw knownCause(usage, lender.failure?.() ?? failure) ?? new NoConnection(usage);
  }

  function leave(asked: Asked<Connection>): void {
    asked.taken = false;
    left ??= asked;
    const forget = () => {
      if (left === asked) left = undefined;
    };
    const unneeded = asked.connection.then(
      (connection) => {
        if (asked.taken) return;
        asked.taken = true;
        forget();
        void quietly(() => lender.release(connection));
      },
      (thrown: unknown) => {
        if (!asked.taken) failure = thrown;
        forget();
      },
    );
    const { abandon } = asked;
    if (abandon === undefined) return;
    const settled = unneeded.then(() => true);
    void within(settled, Math.max(0, asked.until - performance.now()), false).then((isSettled) => {
      if (!isSettled && !asked.taken && abandon()) forget();
    });
  }

  return async (use, starter) => {
    const connection = await take(starter);
    const { signal } = starter;
    const { destroy } = lender;
    try {
      signal.throwIfAborted();
      // A connection that cannot be destroyed is in use until it answers, and the run with it: nothing piles up.
      return await (destroy === undefined ? use(connection) : orAborted(use(connection), signal));
    } finally {
      await quietly(() =>
        signal.aborted && destroy !== undefined ? destroy(connection) : lender.release(connection),
      );
    }
  };
}

/** Why a pool with room gives no connection, where that is known; not what ended the request itself. */
function knownCause(usage: PoolUsage | undefined, failure: unknown): unknown {
  if (failure === undefined || usage === undefined || isFull(usage)) return undefined;
  const { fault } = reasonOf(failure);
  return fault === 'unreachable' || fault === 'full' || fault === 'misconfigured' ? failure : undefined;
}

/** Our own request is not one of those that wait for the application. */
function withoutOwn(usage: PoolUsage | undefined): PoolUsage | undefined {
  return usage?.waiting === undefined ? usage : { ...usage, waiting: Math.max(0, usage.waiting - 1) };
}

/** The connection may have broken before it is given back. */
async function quietly(give: () => unknown): Promise<void> {
  try {
    await give();
  } catch {
    // It is out of the pool then.
  }
}
