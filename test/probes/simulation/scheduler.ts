import type { Surroundings } from '../../../src/probes/feature.js';

/** Time and chance, as the probes take them. */
type Clock = NonNullable<Surroundings['clock']>;

/** Numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Event {
  readonly time: number;
  readonly order: number;
  /** Undefined once it is cancelled. */
  run: (() => void) | undefined;
  /** Whether promises may have to settle after it. */
  readonly settles: boolean;
}

// Kept: the loop of the simulation runs in real time.
const { setImmediate } = globalThis;

/** Settles all promises at once, as Node does between two callbacks: several times faster than to wait for a tick. It is private; Node 20, 22 and 24 give the same results with it. */
const settleAll = (process as unknown as Record<string, () => void>)['_tickCallback'] as () => void;

/** Turns after which the process may do other things. */
const breath = 10_000;

/** Virtual time in milliseconds: what is due next happens at once, and promises settle before the next event. */
export class Scheduler {
  now = 0;
  #events: Event[] = [];
  /** What was added for now: it comes after all events of this time. */
  #due: Event[] = [];
  #order = 0;

  /** Has something happen at a time; returns what cancels it. */
  at(time: number, run: () => void): () => void {
    return this.#add(time, run, true);
  }

  /** The same for what settles no promise, such as the arrival of a message at the server: nothing waits for it. */
  quietly(time: number, run: () => void): () => void {
    return this.#add(time, run, false);
  }

  #add(time: number, run: () => void, settles: boolean): () => void {
    const event: Event = { time: Math.max(time, this.now), order: this.#order++, run, settles };
    if (event.time === this.now) this.#due.push(event);
    else this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** From a callback of the event loop, because promises cannot settle inside of one that settles. */
  runUntil(end: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        try {
          if (this.#turns(end)) resolve();
          else setImmediate(go);
        } catch (thrown) {
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      };
      setImmediate(go);
    });
  }

  /** Whether the end was reached. */
  #turns(end: number): boolean {
    for (let turns = 0; turns < breath;) {
      if (this.#due.length === 0) {
        const [next] = this.#events;
        if (next === undefined || next.time > end) {
          this.now = end;
          return true;
        }
        this.now = next.time;
      }
      if (!this.#runDue()) continue;
      turns += 1;
      settleAll();
    }
    return false;
  }

  /** Runs what is due now; whether promises may have to settle. */
  #runDue(): boolean {
    let settles = false;
    for (let due = this.#events[0]; due !== undefined && due.time <= this.now; due = this.#events[0]) {
      this.#pop();
      if (due.run === undefined) continue;
      settles ||= due.settles;
      due.run();
    }
    // More may come while they run.
    for (let index = 0; index < this.#due.length; index += 1) {
      const due = this.#due[index] as Event;
      if (due.run === undefined) continue;
      settles ||= due.settles;
      due.run();
    }
    this.#due.length = 0;
    return settles;
  }

  #push(event: Event): void {
    const heap = this.#events;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent] as Event, event)) break;
      heap[index] = heap[parent] as Event;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): void {
    const heap = this.#events;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child += 1;
      if (isBefore(last, heap[child] as Event)) break;
      heap[index] = heap[child] as Event;
      index = child;
    }
    heap[index] = last;
  }
}

const isBefore = (one: Event, other: Event) =>
  one.time === other.time ? one.order < other.order : one.time < other.time;

/** After a stall the answers that wait in the sockets come before timeouts, as `deadlines.ts` sees to. */
const grace = 100;

/** The clock of one process: it has its own origin, and stands still while the process does. */
export class ProcessClock implements Clock {
  readonly random: () => number;
  readonly #world: Scheduler;
  readonly #origin: number;
  #stalledUntil = 0;
  #suspendedAt: number | undefined;
  #lost = 0;
  #dead = false;

  constructor(world: Scheduler, random: () => number) {
    this.#world = world;
    this.random = random;
    this.#origin = world.now - random() * 1e6;
  }

  now(): number {
    return (this.#suspendedAt ?? this.#world.now) - this.#origin - this.#lost;
  }

  after(ms: number, then: () => void): () => void {
    return this.#world.at(this.#world.now + Math.max(0, ms), () => this.#fire(then, 0));
  }

  /** As `after`, for what settles no promise. */
  quietly(ms: number, then: () => void): void {
    this.#world.quietly(this.#world.now + ms, () => this.#fire(then, 0));
  }

  within<T>(promise: PromiseLike<T>, ms: number, late: T): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#world.at(this.#world.now + ms, () => this.#fire(() => resolve(late), grace));
      promise.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (thrown: unknown) => {
          cancel();
          reject(thrown);
        },
      );
    });
  }

  /** The process does nothing for a while; with `suspended`, its clock stands still too. */
  stall(ms: number, suspended: boolean): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, this.#world.now + ms);
    if (!suspended || this.#suspendedAt !== undefined) return;
    this.#suspendedAt = this.#world.now;
    const from = this.#world.now;
    this.#world.at(this.#stalledUntil, () => this.#resume(from));
  }

  #resume(from: number): void {
    if (this.isStalled) return void this.#world.at(this.#stalledUntil, () => this.#resume(from));
    this.#suspendedAt = undefined;
    this.#lost += this.#world.now - from;
  }

  get isStalled(): boolean {
    return this.#world.now < this.#stalledUntil;
  }

  kill(): void {
    this.#dead = true;
  }

  #fire(then: () => void, extra: number): void {
    if (this.#dead) return;
    if (this.isStalled) this.#world.at(this.#stalledUntil + extra, () => this.#fire(then, 0));
    else then();
  }
}
