import type { Scheduler } from './scheduler.js';

/** The way from one instance to the database: what is sent while it is cut arrives once it is not. */
export class Link {
  delay = 1;
  /** How many faults keep the name of the server from being found. */
  dnsFaults = 0;
  readonly #world: Scheduler;
  #isCut = false;
  #held: (readonly [() => void, boolean])[] = [];

  constructor(world: Scheduler) {
    this.#world = world;
  }

  get hasNoDns(): boolean {
    return this.dnsFaults > 0;
  }

  /** `settles` if what arrives settles a promise of the process itself. */
  send(then: () => void, settles = false): void {
    const { now } = this.#world;
    if (this.#isCut) this.#held.push([then, settles]);
    else if (settles) this.#world.at(now + this.delay, then);
    else this.#world.quietly(now + this.delay, then);
  }

  cut(): void {
    this.#isCut = true;
  }

  heal(): void {
    this.#isCut = false;
    for (const [then, settles] of this.#held.splice(0)) this.send(then, settles);
  }
}
