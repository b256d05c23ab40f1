// What the probes of a fleet ask of a database that all instances share.
import { asksOf, type Prober, runsOf, type Settings } from './instance.js';
import { type Random, randomFrom } from './random.js';

export interface Fleet {
  readonly instances: number;
  readonly probers: readonly Prober[];
  readonly settings: Settings;
  readonly seconds: number;
  readonly seed: number;
  /** Seconds that a run of the checks takes. */
  readonly took: number;
  /** Whether all probers begin at the same moment; by default each has a phase of its own. */
  readonly inStep?: boolean;
}

/** Queries in each tenth of a second. */
export function arrivals(fleet: Fleet): Float64Array {
  const { instances, probers, settings, seconds, seed, took, inStep = false } = fleet;
  const bins = new Float64Array(Math.ceil(seconds * 10));
  const random: Random = randomFrom(seed);
  const phase = inStep ? () => 0 : random;
  for (let instance = 0; instance < instances; instance += 1) {
    for (const time of runsOf(asksOf(probers, seconds, phase), settings, took, random)) {
      const bin = Math.floor(time * 10);
      if (bin < bins.length) bins[bin] = (bins[bin] ?? 0) + 1;
    }
  }
  return bins;
}

export interface Load {
  /** Queries a second, once the longest interval is over: before that the caches are empty. */
  readonly mean: number;
  /** Queries in the busiest tenth of a second. */
  readonly peak: number;
}

export function loadOf(fleet: Fleet): Load {
  const { probers, settings } = fleet;
  const slowest = Math.max(
    ...probers.map(({ every }) => every),
    settings.cacheFor ?? 0,
    settings.probeEvery ?? 0,
  );
  const bins = arrivals(fleet).subarray(Math.ceil(slowest * 10));
  let [sum, peak] = [0, 0];
  for (const many of bins) {
    sum += many;
    peak = Math.max(peak, many);
  }
  return { mean: (sum / bins.length) * 10, peak };
}

/** Instances that are enough for a mean. */
const enough = 2000;

/** Queries a second. Instances do not know of each other, so of a large fleet a part is looked at. */
export function meanOf(fleet: Fleet): number {
  const instances = Math.min(fleet.instances, enough);
  return (loadOf({ ...fleet, instances }).mean * fleet.instances) / instances;
}
