import type { Feature } from './feature.js';
import type { VerdictOf } from './heartbeat/result.js';
import type { RequestContext } from './request/request.js';
import type { Summary } from './request/summary.js';

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

  /** Passes a finished request on to each of them. Each request comes here: without a function for it. */
  request(context: RequestContext, summary: Summary): void {
    for (const feature of this.#all) feature.onRequest?.(context, summary);
  }

  /** Whether one of them needs to know about finished requests. */
  get followRequests(): boolean {
    return this.#all.some((feature) => feature.onRequest !== undefined);
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
