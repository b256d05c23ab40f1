// How long until a bad build is seen, and how far its rollout is by then.
import { randomFrom } from './random.js';

export interface Rollout {
  readonly instances: number;
  /** Share of the instances that is replaced at once. */
  readonly surge: number;
  /** Seconds until a new instance answers its first probe: from the first to the second of them. */
  readonly startUp: readonly [number, number];
  /** Seconds after its start at which the checks of a bad instance begin to fail. */
  readonly failsAfter: number;
  /** Seconds between two probes of the orchestrator, and how many of them must fail. */
  readonly probeEvery: number;
  readonly failureThreshold: number;
  /** Seconds that a result of a check may be old. */
  readonly stale: number;
  readonly scrapeEvery: number;
  readonly evaluateEvery: number;
  /** How long an alert must hold. */
  readonly alertFor: number;
  readonly rounds: number;
  readonly seed: number;
}

export interface Seen {
  /** Seconds from the start of the rollout, in the median and in 95 of 100 rollouts, and instances on the bad build in the median. */
  readonly median: number;
  readonly p95: number;
  readonly replaced: number;
}

export interface Sight {
  /** The orchestrator takes the first instance out. */
  readonly probe: Seen;
  /** `lifesign_heartbeat_failed` is in Prometheus: the fleet shows it. */
  readonly fleet: Seen;
  readonly alert: Seen;
}

export function sight(rollout: Rollout): Sight {
  const random = randomFrom(rollout.seed);
  const between = (from: number, to: number) => from + random() * (to - from);
  const samples = { probe: new Array<Sample>(), fleet: new Array<Sample>(), alert: new Array<Sample>() };
  for (let round = 0; round < rollout.rounds; round += 1) {
    const batch = Math.max(1, Math.floor(rollout.instances * rollout.surge));
    const ready: number[] = [];
    const found = { probe: Infinity, fleet: Infinity, alert: Infinity };
    const evaluation = between(0, rollout.evaluateEvery);
    // Batch after batch, each when the one before it is ready; a build that fails at once never is.
    for (let started = 0, begins = 0; started < rollout.instances;) {
      const many = Math.min(batch, rollout.instances - started);
      let last = begins;
      for (let member = 0; member < many; member += 1) {
        const up = begins + between(...rollout.startUp);
        const fails = up + rollout.failsAfter;
        // The result that a probe sees may have been made a while before.
        const known = fails + between(0, rollout.stale);
        const probed = nextTick(known, between(0, rollout.probeEvery), rollout.probeEvery);
        found.probe = Math.min(found.probe, probed + (rollout.failureThreshold - 1) * rollout.probeEvery);
        // No check runs for a scrape: it shows what the last probe said.
        const scraped = nextTick(probed, between(0, rollout.scrapeEvery), rollout.scrapeEvery);
        found.fleet = Math.min(found.fleet, scraped);
        last = Math.max(last, rollout.failsAfter === 0 ? Infinity : up);
        ready.push(begins);
      }
      started += many;
      begins = last;
      if (begins > Math.max(found.probe, found.fleet) + rollout.alertFor + rollout.evaluateEvery) break;
    }
    found.alert = nextTick(found.fleet, evaluation, rollout.evaluateEvery) + rollout.alertFor;
    for (const way of ['probe', 'fleet', 'alert'] as const) {
      samples[way].push({ at: found[way], replaced: ready.filter((begun) => begun <= found[way]).length });
    }
  }
  return { probe: seenIn(samples.probe), fleet: seenIn(samples.fleet), alert: seenIn(samples.alert) };
}

interface Sample {
  readonly at: number;
  readonly replaced: number;
}

/** The first tick of a clock with this phase at or after a time. */
export function nextTick(time: number, phase: number, every: number): number {
  return phase + Math.ceil(Math.max(0, time - phase) / every) * every;
}

/** The value that a share of all stays below. */
function rank(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? 0;
}

function seenIn(samples: readonly Sample[]): Seen {
  const times = samples.map(({ at }) => at);
  return {
    median: rank(times, 0.5),
    p95: rank(times, 0.95),
    replaced: rank(
      samples.map(({ replaced }) => replaced),
      0.5,
    ),
  };
}
