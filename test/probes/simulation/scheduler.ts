import type { Clock } from '../../../src/core/clock.js';

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
  run: (() => void) | undefined;
}

// Kept: the loop of the simulation runs in real time.
const { setImmediate } = globalThis;
const { nextTick } = process;

/** Events after which the process may do other things. */
const breath = 10_000;

/** Virtual time in milliseconds: what is due next happens at once, and promises settle before the next event. */
export class Scheduler {
  now = 0;
  #events: Event[] = [];
  #order = 0;

  /** Has something happen at a time; returns what cancels it. */
  at(time: number, run: () => void): () => void {
    const event: Event = { time: Math.max(time, this.now), order: this.#order++, run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  async runUntil(end: number): Promise<void> {
    let turns = 0;
    for (;;) {
      const [next] = this.#events;
      if (next === undefined || next.time > end) break;
      this.now = next.time;
      let ran = false;
      for (let due = this.#events[0]; due !== undefined && due.time <= this.now; due = this.#events[0]) {
        this.#pop();
        ran ||= due.run !== undefined;
        due.run?.();
      }
      if (!ran) continue;
      turns += 1;
      // A tick comes when no promise is left to settle, and costs less than a turn of the event loop.
      await new Promise<void>((resolve) => {
        if (turns % breath === 0) setImmediate(resolve);
        else nextTick(resolve);
      });
    }
    this.now = end;
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
