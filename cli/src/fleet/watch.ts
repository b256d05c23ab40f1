import { describe } from '../../../src/core/scrub/scrub.js';
import type { Fleet } from './fleet.js';
import { Look, NoAnswer, type Prometheus } from './prometheus.js';
import type { Questions } from './questions.js';
import { readFleet } from './read.js';

/** Looks at the fleet on request, and keeps the last good view. It only reads. */
export class Watch {
  readonly address: string;
  /** The last good view; undefined before the first. */
  fleet: Fleet | undefined;
  /** Why the last look gave none; undefined when it did. */
  problem: string | undefined;
  readonly #prometheus: Prometheus;
  readonly #questions: Questions;
  readonly #by: string;
  #seenAt = -Infinity;

  constructor(prometheus: Prometheus, questions: Questions, by: string) {
    this.address = prometheus.shown;
    this.#prometheus = prometheus;
    this.#questions = questions;
    this.#by = by;
  }

  /** Milliseconds since the last good view. */
  get age(): number {
    return performance.now() - this.#seenAt;
  }

  /** Looks again. Never rejects. */
  async look(): Promise<void> {
    const questions = this.#questions;
    const look = new Look(this.#prometheus);
    const ask = (name: keyof Questions) => look.query(questions[name]);
    const asked = [
      ask('targets'),
      ask('builds'),
      ask('states'),
      ask('checks'),
      ask('messages'),
      ask('successes'),
    ] as const;
    // Waits for all: a failed view leaves no query open for the next one.
    await Promise.allSettled(asked);
    try {
      const [targets, builds, states, checks, messages, successes] = await Promise.all(asked);
      const answers = { targets, builds, states, checks, messages, successes };
      this.fleet = readFleet(answers, this.#by, { checkTime: () => look.checkTime() });
      this.#seenAt = performance.now();
      this.problem = undefined;
    } catch (thrown) {
      this.problem = thrown instanceof NoAnswer ? thrown.message : describe(thrown);
    }
  }
}
