import type { Scheduler } from './scheduler.js';

/** A connection, as the server sees it. */
export interface Session {
  readonly id: number;
  running: boolean;
  locked: boolean;
  since: number;
  /** Resets the connection of the client. */
  readonly reset: () => void;
}

/** Why the server refuses. */
export type Refusal = 'unreachable' | 'full' | 'misconfigured';

/** The database server that all instances share. */
export class Database {
  /** Accepts nothing and has no sessions, or answers nothing. */
  isDown = false;
  isFrozen = false;
  isFull = false;
  rejectsPasswords = false;
  /** The table that the application uses is locked by a migration. */
  isLocked = false;
  /** Milliseconds that each query of the application takes longer. */
  slowBy = 0;
  readonly sessions = new Map<number, Session>();
  readonly #world: Scheduler;
  #waiting: (() => void)[] = [];
  #next = 1;

  constructor(world: Scheduler) {
    this.#world = world;
  }

  connect(reset: () => void): Session | Refusal {
    if (this.isDown) return 'unreachable';
    if (this.rejectsPasswords) return 'misconfigured';
    if (this.isFull) return 'full';
    const session: Session = {
      id: this.#next++,
      running: false,
      locked: false,
      since: this.#world.now,
      reset,
    };
    this.sessions.set(session.id, session);
    return session;
  }

  /** Runs a query of the application, or a question of a check, which uses no table. */
  run(session: Session, ms: number, usesTable: boolean, done: () => void): void {
    // It does not know the session: nothing comes back.
    if (!this.sessions.has(session.id)) return;
    const change = (running: boolean, locked = false) =>
      Object.assign(session, { running, locked, since: this.#world.now });
    if (this.isFrozen || (usesTable && this.isLocked)) {
      if (!this.isFrozen) change(true, true);
      this.#waiting.push(() => this.run(session, ms, usesTable, done));
      return;
    }
    change(true);
    this.#world.quietly(this.#world.now + ms + (usesTable ? this.slowBy : 0), () => {
      this.whenThawed(() => {
        if (!this.sessions.has(session.id)) return;
        change(false);
        done();
      });
    });
  }

  /** At once, or when it answers again. */
  whenThawed(then: () => void): void {
    if (this.isFrozen) this.#waiting.push(() => this.whenThawed(then));
    else then();
  }

  /** What was waiting for it, or for a lock, goes on. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** Ends all sessions, as a restart does. */
  resetAll(): void {
    const all = [...this.sessions.values()];
    this.sessions.clear();
    for (const { reset } of all) reset();
  }

  /** The rows of `pg_stat_activity` for some sessions, and for the one that asks. */
  activity(ids: readonly number[], own: number): readonly Readonly<Record<string, unknown>>[] {
    return [...ids, own].flatMap((id) => {
      const session = this.sessions.get(id);
      if (session === undefined) return [];
      const { running, locked, since } = session;
      return { id, own: id === own, running, locked, holder: null, since: (this.#world.now - since) / 1000 };
    });
  }
}
