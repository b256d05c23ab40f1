import type { Feature } from './feature.js';
import type { VerdictOf } from './heartbeat/result.js';

/** The features of one Health, in the order in which they were added. */
export class Features<Request> {
  readonly #all: Feature<Request>[] = [];

  add(...features: readonly Feature<Request>[]): void {
    this.#all.push(...features);
  }

  /** Passes an event on to each of them. */
  each(pass: (feature: Feature<Request>) => void): void {
    for (const feature of this.#all) pass(feature);
  }

  /** The verdict of the first feature that has one. */
  readonly verdictOf: VerdictOf = (check) => {
    for (const feature of this.#all) {
      const verdict = feature.verdictOf?.(check);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  };
}
