import { type Clock, realClock } from './core/time.js';
import type { Feature, FeatureHost } from './core/feature.js';
import { outsideRequest } from './core/request/request.js';
import { timersEndWithRequest } from './core/runtime.js';

type ScheduleHost = Pick<FeatureHost<never>, 'checks' | 'draining' | 'refresh'>;

/** Runs checks by themselves, from the first one that asks for it until the process leaves. */
export function scheduleFeature(host: ScheduleHost): Feature<never> {
  let schedule: Schedule | undefined;
  const stop = () => schedule?.stop();
  return {
    onScheduled(every) {
      schedule ??= new Schedule(host);
      schedule.add(every);
    },
    onLeave: stop,
    close: stop,
  };
}

/** Each interval is up to this part of it shorter or longer, so that the instances of a service do not ask a dependency in step. */
const jitter = 0.1;

/** Runs checks by themselves: those with the same interval together, and never before their last run has ended. */
class Schedule {
  readonly #host: ScheduleHost;
  readonly #clock: Clock;
  /** Cancels the next run, by interval; undefined during a run. */
  readonly #next = new Map<number, (() => void) | undefined>();

  constructor(host: ScheduleHost, clock = realClock) {
    this.#host = host;
    this.#clock = clock;
  }

  /** Runs the checks of an interval soon, and from then on. */
  add(every: number): void {
    // A timer of an edge worker ends with its request.
    if (this.#next.has(every) || this.#host.draining() || timersEndWithRequest) return;
    this.#wait(every, jitter * every * this.#clock.random());
  }

  stop(): void {
    for (const cancel of this.#next.values()) cancel?.();
    this.#next.clear();
  }

  #wait(every: number, ms: number): void {
    outsideRequest(() => {
      this.#next.set(
        every,
        this.#clock.after(ms, () => void this.#run(every)),
      );
    });
  }

  async #run(every: number): Promise<void> {
    this.#next.set(every, undefined);
    const { checks, refresh } = this.#host;
    const started = this.#clock.now();
    const due = checks().filter((check) => check.every === every);
    // A listener that throws does not end the schedule.
    await refresh(due).catch(() => {});
    if (!this.#next.has(every)) return;
    const interval = every * (1 + jitter * (2 * this.#clock.random() - 1));
    // A slow check still gives its dependency a pause.
    this.#wait(every, Math.max(interval - (this.#clock.now() - started), every / 10));
  }
}
