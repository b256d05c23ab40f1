import type { Database, Refusal, Session } from './database.js';
import type { Link } from './link.js';
import type { ProcessClock } from './scheduler.js';

/** An operation that the server, or the way to it, made fail. */
export class Failed extends Error {
  readonly fault: Refusal | 'broken';

  constructor(fault: Refusal | 'broken') {
    super(fault);
    this.fault = fault;
  }
}

/** What a process has of the database. */
export interface Reach {
  readonly clock: ProcessClock;
  readonly database: Database;
  readonly link: Link;
}

/** One connection of a process. */
export class Connection {
  session: Session | undefined;
  /** The way lost it in silence: nothing arrives any more. */
  isDead = false;
  isClosed = false;
  /** What waits for an answer. */
  pending: { readonly reject: (error: Failed) => void } | undefined;
  readonly #reach: Reach;

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  open(): Promise<void> {
    const { database, link } = this.#reach;
    if (link.hasNoDns) return Promise.reject(new Failed('unreachable'));
    return this.#exchange((answer, reject) =>
      database.whenThawed(() => {
        const made = database.connect(() => link.send(() => this.break(), true));
        if (typeof made === 'string') return reject(new Failed(made));
        this.session = made;
        if (this.isClosed) database.sessions.delete(made.id);
        answer();
      }),
    );
  }

  run(ms: number, usesTable: boolean): Promise<void> {
    return this.#exchange((answer) => {
      if (this.session !== undefined) this.#reach.database.run(this.session, ms, usesTable, answer);
    });
  }

  /** It broke: whoever waits for an answer is told. */
  break(): void {
    this.isClosed = true;
    this.pending?.reject(new Failed('broken'));
  }

  /** Closes it; the server hears of that when the way allows it. */
  close(): void {
    this.break();
    const { database, link } = this.#reach;
    if (!this.isDead) link.send(() => this.session && database.sessions.delete(this.session.id));
  }

  #exchange(serve: (answer: () => void, reject: (error: Failed) => void) => void): Promise<void> {
    const { link, clock } = this.#reach;
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => () => {
        if (this.isDead) return;
        link.send(() =>
          clock.after(0, () => {
            if (this.pending !== pending) return;
            this.pending = undefined;
            then();
          }),
        );
      };
      const pending = {
        reject: (error: Failed) => {
          this.pending = undefined;
          reject(error);
        },
      };
      this.pending = pending;
      if (this.isClosed) return pending.reject(new Failed('broken'));
      if (this.isDead) return;
      link.send(() => {
        if (!this.isDead) serve(settle(resolve), (error) => settle(() => reject(error))());
      });
    });
  }
}

interface Waiter {
  readonly grant: (connection: Connection) => void;
  readonly fail: (error: unknown) => void;
}

/** The pool of a process, as that of pg: whoever finds no connection waits without a limit. */
export class Pool {
  readonly max: number;
  readonly all = new Set<Connection>();
  readonly lent = new Set<Connection>();
  /** Called when a connection is lent. */
  readonly onLend = new Set<() => void>();
  readonly #reach: Reach;
  #connecting = 0;
  #idle: Connection[] = [];
  #queue: Waiter[] = [];

  constructor(reach: Reach, max: number) {
    this.#reach = reach;
    this.max = max;
  }

  usage() {
    return {
      used: this.lent.size,
      max: this.max,
      waiting: this.#queue.length,
      connecting: this.#connecting,
    };
  }

  take(): Promise<Connection> {
    return new Promise((grant, fail) => {
      this.#queue.push({ grant, fail });
      this.#pulse();
    });
  }

  giveBack(connection: Connection): void {
    this.lent.delete(connection);
    if (connection.isClosed) this.all.delete(connection);
    else this.#idle.push(connection);
    this.#pulse();
  }

  destroy(connection: Connection): void {
    connection.close();
    this.giveBack(connection);
  }

  /** Idle connections that broke are gone. */
  #usable(): Connection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection?.isClosed !== true) return connection;
      this.all.delete(connection);
    }
  }

  #pulse(): void {
    while (this.#queue.length > 0) {
      const connection = this.#usable();
      if (connection !== undefined) this.#lend(connection);
      else if (this.all.size < this.max) void this.#make();
      else return;
    }
  }

  #lend(connection: Connection): void {
    const waiter = this.#queue.shift();
    if (waiter === undefined) return void this.#idle.push(connection);
    this.lent.add(connection);
    for (const lent of this.onLend) lent();
    waiter.grant(connection);
  }

  async #make(): Promise<void> {
    const connection = new Connection(this.#reach);
    this.all.add(connection);
    this.#connecting += 1;
    // Who asked for it gets the error.
    const waiter = this.#queue.shift() as Waiter;
    try {
      await this.#reach.clock.within(connection.open(), 60_000, undefined);
      if (connection.session === undefined) throw new Failed('unreachable');
      this.#queue.unshift(waiter);
      this.#connecting -= 1;
      this.#lend(connection);
    } catch (error) {
      this.#connecting -= 1;
      connection.close();
      this.all.delete(connection);
      waiter.fail(error);
    }
    this.#pulse();
  }

  /** As `heldByPg` gives it. */
  held() {
    const known = [...this.lent];
    return {
      ids: known.map(({ session }) => session?.id ?? Number.NaN),
      waiting: known.flatMap((connection) => {
        const { pending, session } = connection;
        if (pending === undefined || session === undefined) return [];
        return [
          {
            id: session.id,
            isWaiting: () => connection.pending === pending,
            close: () => connection.close(),
          },
        ];
      }),
    };
  }
}
