// When one instance runs its checks, by who asks and by its options: the rules are those of src/core/heartbeat/{heartbeat,run}.ts and of the
// verdicts, in times instead of promises.
import type { Random } from './random.js';

/** What decides when an instance runs its checks. Seconds. */
export interface Settings {
  /** Heartbeats that overlap share one run. */
  readonly coalesce?: boolean;
  /** How long a result is served again; 0 for never. */
  readonly cacheFor?: number;
  /** The verdicts: at most one run in so many seconds. */
  readonly probeEvery?: number;
}

/** Somebody who asks each instance again and again. */
export interface Prober {
  readonly every: number;
}

/** The times at which one instance is asked, the earliest first. `phase` says where in its interval a prober begins. */
export function asksOf(probers: readonly Prober[], seconds: number, phase: () => number): readonly number[] {
  const asks: number[] = [];
  for (const { every } of probers) {
    for (let time = phase() * every; time < seconds; time += every) asks.push(time);
  }
  return asks.toSorted((one, other) => one - other);
}

/** The times at which the checks run; `took` is how long a run takes. */
export function runsOf(
  asks: readonly number[],
  settings: Settings,
  took: number,
  random: Random,
): readonly number[] {
  const { coalesce = false, cacheFor = 0, probeEvery } = settings;
  if (probeEvery !== undefined) {
    return renewed(asks, took, () => {
      const due = probeEvery * (1 + random() * 0.25);
      return { fresh: due, wait: due };
    });
  }
  if (!coalesce && cacheFor === 0) return asks;
  const runs: number[] = [];
  const fresh = Math.max(took, cacheFor);
  for (const ask of asks) if (ask >= (runs.at(-1) ?? -Infinity) + fresh) runs.push(ask);
  return runs;
}

/** With results that stay fresh for a while and are renewed ahead of time, from the start of a run, as long as somebody asks. */
function renewed(
  asks: readonly number[],
  took: number,
  drawn: () => { readonly fresh: number; readonly wait: number },
): readonly number[] {
  const runs: number[] = [];
  let [over, freshUntil, renewAt, asked, lapsed] = [-Infinity, -Infinity, Infinity, false, false];
  const run = (time: number) => {
    runs.push(time);
    over = time + took;
    const { fresh, wait } = drawn();
    freshUntil = time + fresh;
    renewAt = Math.max(over, time + wait);
    asked = false;
    lapsed = false;
  };
  const renewUntil = (time: number) => {
    while (renewAt <= time) {
      const due = renewAt;
      renewAt = Infinity;
      if (asked) run(due);
      else lapsed = true;
    }
  };
  for (const ask of asks) {
    renewUntil(ask);
    // Who asks during a run is answered by it.
    if (ask < over) continue;
    asked = true;
    if (ask >= freshUntil || lapsed) run(ask);
  }
  return runs;
}
