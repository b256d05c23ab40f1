import type { Starter } from '../flight.js';
import type { Life } from '../life.js';
import type { Look } from './timeline.js';

/** The state of a consumer, as far as it exposes it. */
export interface Seen extends Partial<Look> {
  /** Why it takes no work at all, in words that follow a colon. */
  readonly stopped?: string | undefined;
  /** That it has no connection and reconnects by itself: a fault of the broker, not of this instance. */
  readonly connected?: false | undefined;
  /** A possible reason for no progress. */
  readonly note?: string | undefined;
  /** Milliseconds since a job was taken away from it. */
  readonly lostFor?: number | undefined;
}

/** A consumer of a broker, whichever it is. */
export interface Consumer {
  /** The name of the work, if the client has one. */
  readonly name?: string | undefined;
  look(starter: Starter): Seen | Promise<Seen>;
}

/** The options beside a consumer. */
export interface ConsumerSettings {
  readonly queue?: unknown;
  readonly noAck?: boolean | undefined;
  readonly stalledAfter: number;
  readonly life: Life;
}

/** How often work was done, and attempts failed. */
export class Tally {
  #done = 0;
  #attempts = 0;

  readonly done = (): void => {
    this.#done += 1;
  };

  readonly failed = (): void => {
    this.#attempts += 1;
  };

  get seen(): Pick<Look, 'mark' | 'attempts'> {
    return { mark: this.#done, attempts: this.#attempts };
  }
}
