import { type Clock, realClock } from '../../core/clock.js';

/** A connection of an earlier run got no answer, and the server has not closed it yet. */
export class NotServed extends Error {
  constructor() {
    super('an earlier check is still waiting for an answer');
  }
}

/** A connection that was given up. */
export interface GivenUp {
  /** Settles when the server has closed it too; undefined if nothing shows that. */
  readonly gone: Promise<void> | undefined;
  /** Whether it was opened for this check: then the server has accepted it a moment ago, and keeps it waiting. */
  readonly isNew: boolean;
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

  /** A connection was given up by a run with this timeout in milliseconds. */
  add({ gone, isNew }: GivenUp, time: number): void {
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
