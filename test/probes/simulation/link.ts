import type { Scheduler } from './scheduler.js';

/** The way from one instance to the database: what is sent while it is cut arrives once it is not. */
export class Link {
  delay = 1;
  /** How many faults keep the name of the server from being found. */
  dnsFaults = 0;
  readonly #world: Scheduler;
  #isCut = false;
  #held: (() => void)[] = [];

  constructor(world: Scheduler) {
    this.#world = world;
  }

  get hasNoDns(): boolean {
    return this.dnsFaults > 0;
  }

  send(then: () => void): void {
    if (this.#isCut) this.#held.push(then);
    else this.#world.at(this.#world.now + this.delay, then);
  }

  cut(): void {
    this.#isCut = true;
  }

  heal(): void {
    this.#isCut = false;
    for (const then of this.#held.splice(0)) this.send(then);
  }
}
