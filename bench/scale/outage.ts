// The seconds after a shared database comes back.
import { asksOf, type Prober, runsOf, type Settings } from './instance.js';
import { randomFrom } from './random.js';

export interface Outage {
  readonly instances: number;
  readonly probers: readonly Prober[];
  readonly settings: Settings;
  readonly seed: number;
  readonly took: number;
  /** Seconds for which the database was away. */
  readonly lasted: number;
  /** `frozen`: queries hang and are all answered when it is back. `restarted`: each instance has to connect anew. */
  readonly kind: 'frozen' | 'restarted';
  /** Seconds of a processor of the database: of a query, and of a new connection. */
  readonly query: number;
  readonly connect: number;
  readonly cores: number;
  /** Whether all probers are in step. */
  readonly inStep?: boolean;
}

export interface Recovery {
  /** What reaches the database in the first second and in the busiest tenth of it. */
  readonly firstSecond: number;
  readonly peak: number;
  /** Seconds of processor that the first ten seconds cost, and until the last of that work is done. */
  readonly work: number;
  readonly done: number;
}

const watched = 10;

/** As in src/core/heartbeat/runs.ts. */
const mostAtOnce = 10;
const patience = [3, 6, 12, 24, 48, 96];

/** How many queries one instance has sent to a database that hung for so long: a hung run is given up after a while, and one more starts. */
export function hungRuns(asks: readonly number[], alone: boolean, lasted: number, timeout = 5): number {
  let [runs, groups, blockedUntil] = [0, 0, -Infinity];
  for (const ask of asks) {
    if (ask >= lasted) break;
    if (ask < blockedUntil) continue;
    if (alone || groups > 0) runs += 1;
    else
      runs += Math.min(
        mostAtOnce,
        asks.filter((other) => other >= ask && other < Math.min(ask + timeout, lasted)).length,
      );
    blockedUntil = ask + timeout * (1 + (patience[groups] ?? 96));
    groups += 1;
  }
  return runs;
}

/** What the checks of all instances ask in the ten seconds after the database is back, and how long it works on that. */
export function recover(outage: Outage): Recovery {
  const {
    instances,
    probers,
    settings,
    seed,
    took,
    lasted,
    kind,
    query,
    connect,
    cores,
    inStep = false,
  } = outage;
  const random = randomFrom(seed);
  const phase = inStep ? () => 0 : random;
  const jobs: { readonly at: number; readonly cost: number }[] = [];
  for (let instance = 0; instance < instances; instance += 1) {
    const asks = asksOf(probers, lasted + watched, phase);
    const after = runsOf(asks, settings, took, random).filter((time) => time >= lasted);
    if (kind === 'frozen') {
      const waiting = hungRuns(asks, isAlone(settings), lasted);
      for (let run = 0; run < waiting; run += 1) jobs.push({ at: 0, cost: query });
    }
    after.forEach((time, index) => {
      const cost = kind === 'restarted' && index === 0 ? query + connect : query;
      jobs.push({ at: time - lasted, cost });
    });
  }
  return { ...countsOf(jobs), ...drain(jobs, cores) };
}

/** Whether no two runs of a check are under way at once. */
function isAlone({ coalesce = false, cacheFor = 0, probeEvery }: Settings): boolean {
  return coalesce || cacheFor > 0 || probeEvery !== undefined;
}

function countsOf(jobs: readonly { readonly at: number }[]): Pick<Recovery, 'firstSecond' | 'peak'> {
  const bins = new Float64Array(10);
  for (const { at } of jobs) if (at < 1) bins[Math.floor(at * 10)] = (bins[Math.floor(at * 10)] ?? 0) + 1;
  return { firstSecond: bins.reduce((sum, many) => sum + many, 0), peak: Math.max(...bins) };
}

/** First come, first served, by so many processors. */
export function drain(
  jobs: readonly { readonly at: number; readonly cost: number }[],
  cores: number,
): Pick<Recovery, 'work' | 'done'> {
  const free = new Float64Array(cores);
  let work = 0;
  // Until there is a moment at which nothing waits any more.
  let done = 0;
  for (const { at, cost } of jobs.toSorted((one, other) => one.at - other.at)) {
    work += cost;
    let first = 0;
    for (let core = 1; core < cores; core += 1) if ((free[core] ?? 0) < (free[first] ?? 0)) first = core;
    const begins = Math.max(at, free[first] ?? 0);
    free[first] = begins + cost;
    if (begins > at) done = Math.max(done, begins + cost);
  }
  return { work, done };
}
