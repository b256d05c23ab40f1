import { deadlineOf } from '../../core/heartbeat/run.js';
import { attempt } from '../../core/runtime.js';
import { Failure, noConnection, reasonOf } from '../reasons.js';
import { late, orAborted, timeToWait, unlessLate } from '../round-trip.js';
import { Abandoned, quietly } from './abandoned.js';
import { isFull, type Pool, type PoolUsage } from './pool.js';

interface OpenRequest<Connection> {
  readonly connection: Promise<Connection>;
  /** Ends the connection that the pool makes for it, unless it is made by now. */
  readonly cancel: (() => Promise<void> | undefined) | undefined;
  /** Whether the pool makes a connection for it. */
  readonly isNew: boolean;
  readonly until: number;
  /** The run that waits for it; undefined between two runs. */
  run: AbortSignal | undefined;
  granted?: Connection;
}

/**
 * A request without a connection is kept for this many timeouts: connecting may take longer than one of them. One that
 * cannot be ended may hold a slot forever: each further one is made after twice the time, as the core does with runs.
 */
export const minBackoff = 3;

const maxBackoff = 96;

/**
 * The one connection of a pool that the runs of a check use. Most pools cannot cancel a request: a run that cannot wait any longer leaves
 * its request to the next run, so that a storm of heartbeats has one request in the pool's queue at most.
 */
export class Checkout<Connection> {
  readonly #pool: Pool<Connection>;
  readonly #abandoned = new Abandoned();
  #open: OpenRequest<Connection> | undefined;
  #backoff = minBackoff;
  /** Why the last request failed, until one is granted: the next one may only wait until its time is up. */
  #failure: unknown;

  constructor(pool: Pool<Connection>) {
    this.#pool = pool;
  }

  /** Uses a connection, which is released at the end, or destroyed if the time of the run is up before its answer comes. */
  async use<T>(query: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    const timeout = deadlineOf(signal) - performance.now();
    const request = await this.#request(signal, timeout);
    const connection = await this.#granted(request, signal);
    const { destroy } = this.#pool;
    try {
      signal.throwIfAborted();
      // A connection that cannot be destroyed is in use until it answers, and the run with it: nothing piles up.
      const answer = await (destroy === undefined ? query(connection) : orAborted(query(connection), signal));
      this.#abandoned.reset();
      return answer;
    } finally {
      if (signal.aborted && destroy !== undefined) {
        // A driver that throws has lost the connection.
        const closed = attempt(() => destroy(connection));
        this.#abandoned.add(closed, request.isNew, timeout);
      } else await quietly(() => this.#pool.release(connection));
    }
  }

  /** The request that an earlier run has left, unless it is overdue, or a new one. */
  async #request(signal: AbortSignal, timeout: number): Promise<OpenRequest<Connection>> {
    if (this.#open !== undefined && performance.now() >= this.#open.until) {
      const { cancel } = this.#open;
      this.#open = undefined;
      if (cancel === undefined) this.#backoff = Math.min(this.#backoff * 2, maxBackoff);
      else this.#abandoned.add(attempt(cancel), true, timeout);
    }
    if (this.#open === undefined) {
      if (!(await this.#abandoned.isClear(timeToWait(signal)))) throw this.#failure ?? stillWaiting();
      signal.throwIfAborted();
    }
    const request = (this.#open ??= this.#newRequest(timeout));
    // The run before may wait for it still: its time is up, but a blocked event loop hides that from it.
    request.run = signal;
    return request;
  }

  #newRequest(timeout: number): OpenRequest<Connection> {
    const pool = this.#pool;
    const opening = () => pool.opening?.() ?? [];
    const connecting = () => pool.usage?.()?.connecting ?? 0;
    const [before, count] = [opening(), connecting()];
    const connection = pool.acquire();
    const own = opening().find((each) => !before.includes(each));
    const request: OpenRequest<Connection> = {
      connection,
      cancel:
        own === undefined ? undefined : () => (opening().includes(own) ? pool.cancel?.(own) : undefined),
      isNew: connecting() > count,
      until: pool.endsRequests ? Infinity : performance.now() + timeout * this.#backoff,
      run: undefined,
    };
    const close = () => {
      if (this.#open === request) this.#open = undefined;
    };
    connection.then(
      (granted) => {
        close();
        request.granted = granted;
        if (request.run === undefined) this.#release(granted);
      },
      (thrown: unknown) => {
        close();
        this.#failure = thrown;
      },
    );
    return request;
  }

  #release(connection: Connection): void {
    void quietly(() => this.#pool.release(connection));
  }

  async #granted(request: OpenRequest<Connection>, signal: AbortSignal): Promise<Connection> {
    let connection: Connection | typeof late;
    try {
      connection = await unlessLate(request.connection, signal);
    } catch (thrown) {
      throw reasonOf(thrown).fault === 'exhausted' ? noConnection(this.#pool.usage?.()) : thrown;
    }
    if (request.run !== signal) throw stillWaiting();
    if (connection === late) {
      request.run = undefined;
      // It came at the last moment.
      if (request.granted !== undefined) this.#release(request.granted);
      const usage = withoutOwn(this.#pool.usage?.());
      throw knownCause(usage, this.#failure) ?? noConnection(usage);
    }
    this.#backoff = minBackoff;
    this.#failure = undefined;
    return connection;
  }
}

const stillWaiting = () => new Failure('an earlier check is still waiting for an answer', 'broken');

/** Why a pool with room gives no connection, if the last request failed for a reason. */
function knownCause(usage: PoolUsage | undefined, failure: unknown): unknown {
  if (failure === undefined || usage === undefined || isFull(usage)) return undefined;
  return /^(unreachable|full|misconfigured)$/.test(reasonOf(failure).fault) ? failure : undefined;
}

/** The usage without our own request in the queue. */
function withoutOwn(usage: PoolUsage | undefined): PoolUsage | undefined {
  return usage?.waiting === undefined ? usage : { ...usage, waiting: Math.max(0, usage.waiting - 1) };
}
