import type { Feature, FeatureHost } from './core/feature.js';
import { outsideRequest } from './core/request/request.js';
import { realClock } from './core/time.js';

type ScheduleHost = Pick<FeatureHost<never>, 'checks' | 'draining' | 'refresh'>;

/** Each interval is up to this part of it shorter or longer, so that the instances of a service do not query a dependency in step. */
const jitter = 0.1;

/**
 * Runs checks on a schedule, from the first one with an interval until the process drains: those with the same interval together, and
 * never before their last run has ended.
 */
export function scheduleFeature({ checks, draining, refresh }: ScheduleHost): Feature<never> {
  /** Cancels the next run, by interval; undefined during a run. */
  const next = new Map<number, (() => void) | undefined>();

  const wait = (every: number, ms: number) =>
    outsideRequest(() => {
      next.set(
        every,
        realClock.after(ms, () => void run(every)),
      );
    });

  async function run(every: number): Promise<void> {
    next.set(every, undefined);
    const started = realClock.now();
    // A listener that throws does not end the schedule.
    await refresh(checks().filter((check) => check.every === every)).catch(() => {});
    if (!next.has(every)) return;
    const interval = every * (1 + jitter * (2 * realClock.random() - 1));
    // After a slow run, the dependency still gets a pause.
    wait(every, Math.max(interval - (realClock.now() - started), every / 10));
  }

  const stop = () => {
    for (const cancel of next.values()) cancel?.();
    next.clear();
  };
  return {
    onScheduled(every) {
      if (next.has(every) || draining()) return;
      wait(every, jitter * every * realClock.random());
    },
    onLeave: stop,
    close: stop,
  };
}
