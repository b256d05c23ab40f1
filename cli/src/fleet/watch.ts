import { describe } from '../../../src/tools.js';
import type { Fleet } from './fleet.js';
import { Look, NoAnswer, type Prometheus } from './prometheus.js';
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

const hour = 3_600_000;

/** The queries for one view, one for each question, however many instances there are. */
export interface Questions {
  /** The scraped targets and whether they answer: `up` of the jobs that had a lifesign within a day. */
  readonly targets: string;
  /** The build of each instance: when it was last seen, negative or 0 if that has ended. */
  readonly builds: string;
  /** How each instance is. */
  readonly states: string;
  /** Which checks have something to say, and how grave it is. */
  readonly checks: string;
  /** Under which message ids. */
  readonly messages: string;
  /** When such a check last passed. */
  readonly successes: string;
}

/** `window`: how long a gone instance is remembered, in milliseconds. */
export function questionsFor(match: readonly (readonly [string, string])[], window: number): Questions {
  const matchers = match.map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const series = (name: string) => (matchers.length === 0 ? name : `${name}{${matchers.join(',')}}`);
  const names = ['draining', 'heartbeat_failed', 'heartbeat_level', 'probe_up', 'start_time_seconds'];
  const gauges = [`__name__=~"lifesign_(${names.join('|')})"`, ...matchers];
  const build = series('lifesign_build_info');
  const past = `${Math.ceil(window / 1000)}s`;
  const recent = `${Math.ceil(Math.min(window, hour) / 1000)}s`;
  // At least a minute, and at most 288 steps: a long window costs no more than a day at five minutes.
  const step = `${Math.max(60, Math.ceil(window / 1000 / 288))}s`;
  return {
    // By steps, since reading every sample of a day would exceed the limit of a large Prometheus; younger instances are in the present values.
    targets: `${series('up')} and on (job) group by (job) (${build} or present_over_time(${build}[1d:5m]))`,
    // Instances that lived between two steps are found by their samples, of an hour at most; when they were last seen is not known then.
    builds: `timestamp(${build}) or -max_over_time(timestamp(${build})[${past}:${step}]) or 0 * last_over_time(${build}[${recent}])`,
    // When instances that no longer answer started: it shows a rollout.
    states: `{${gauges.join(',')}} or last_over_time(${series('lifesign_start_time_seconds')}[${past}])`,
    checks: `${series('lifesign_check_level')} > 0`,
    messages: `${series('lifesign_check_message')} > 0`,
    successes: `${series('lifesign_check_last_success_timestamp_seconds')} and ${series('lifesign_check_level')} > 0`,
  };
}
