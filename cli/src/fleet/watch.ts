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
  /** Goes up with each look. */
  looks = 0;
  readonly #prometheus: Prometheus;
  readonly #questions: Questions;
  readonly #by: string;
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;
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

  /** Looks again unless that was done within `maxAge` milliseconds; all who ask meanwhile share one look. Never rejects. */
  look(maxAge = 0): Promise<void> {
    if (this.#looking === undefined && performance.now() - this.#lookedAt < maxAge) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookedAt = performance.now();
      this.looks += 1;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const questions = this.#questions;
    const look = new Look(this.#prometheus);
    const ask = (name: keyof Questions) => look.query(questions[name]);
    const targets = ask('targets');
    const builds = ask('builds');
    const states = ask('states');
    const checks = ask('checks');
    const messages = ask('messages');
    const successes = ask('successes');
    // Waits for all: a failed view leaves no query open for the next one.
    await Promise.allSettled([targets, builds, states, checks, messages, successes]);
    try {
      const answers = {
        targets: await targets,
        builds: await builds,
        states: await states,
        checks: await checks,
        messages: await messages,
        successes: await successes,
      };
      this.fleet = readFleet(answers, this.#by, { checkTime: () => look.checkTime() });
      this.#seenAt = performance.now();
      this.problem = undefined;
    } catch (thrown) {
      this.problem = thrown instanceof NoAnswer ? thrown.message : describe(thrown);
    }
  }
}
