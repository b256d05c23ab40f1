import type { FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { type CheckResult, type Level, statusOf } from '../core/heartbeat/result.js';
import { clean } from '../core/scrub/scrub.js';
import { type Emit, Histogram, LabelSet, noLabels } from './exposition.js';

/** Seconds. A check that takes longer than the last of them has mostly timed out. */
export const bounds = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10];
/** Ids of messages are the application's; those of one result are limited all the same. */
const maxIds = 10;
const maxIdLength = 100;
const maxLevel = (one: Level, other: Level): Level => (one > other ? one : other);
const levels: readonly Level[] = [0, 10, 20, 30, 40, 50];

/** Numbers by status. */
class Counts {
  readonly #counts: number[] = [];
  readonly #labels: readonly LabelSet[];

  constructor(more: Readonly<Record<string, string>>) {
    this.#labels = levels.map((level) => new LabelSet({ ...more, status: statusOf(level) }));
  }

  add(level: Level): void {
    this.#counts[level / 10] = (this.#counts[level / 10] ?? 0) + 1;
  }

  /** Those that never occurred only if `all` are wanted. */
  collect(emit: Emit, all: boolean): void {
    this.#labels.forEach((labels, index) => {
      const count = this.#counts[index] ?? 0;
      if (all || count > 0) emit(count, labels);
    });
  }
}

/** Neither a result that was served before nor one without a run is a run. */
export function isRun({ repeated, notRun }: CheckResult): boolean {
  return repeated !== true && notRun !== true;
}

/** The counts of one check. */
class CheckSeries {
  readonly labels: LabelSet;
  readonly runs: Counts;
  readonly duration: Histogram;
  last: CheckResult | undefined;
  /** In seconds since 1970. */
  lastSuccess: number | undefined;

  constructor(check: string) {
    this.labels = new LabelSet({ check });
    this.runs = new Counts({ check });
    this.duration = new Histogram(bounds, this.labels);
  }

  record(result: CheckResult): void {
    this.last = result;
    if (!isRun(result)) return;
    this.runs.add(result.level);
    this.duration.observe(result.duration / 1000);
    if (!result.failed && result.capped !== true) this.lastSuccess = Date.now() / 1000;
  }

  /** The worst level of each message id. */
  collectMessages(emit: Emit): void {
    const byId = new Map<string, Level>();
    for (const { id, level } of this.last?.messages ?? []) {
      const short = clean(id, maxIdLength);
      if (byId.size < maxIds || byId.has(short)) byId.set(short, maxLevel(byId.get(short) ?? 0, level));
    }
    for (const [id, level] of byId) emit(level, new LabelSet({ ...this.labels.pairs, id }));
  }
}

/** The results of heartbeats as series. */
export class HeartbeatSeries {
  readonly #host: Pick<FeatureHost<never>, 'checks'>;
  readonly #checks = new Map<string, CheckSeries>();
  readonly counts = new Counts({});
  #last: Pick<Heartbeat, 'level' | 'failed'> | undefined;
  #at = -Infinity;

  constructor(host: Pick<FeatureHost<never>, 'checks'>) {
    this.#host = host;
  }

  /** Milliseconds since the last heartbeat of the whole. */
  get age(): number {
    return performance.now() - this.#at;
  }

  /** Whether all checks have run, if there are any. */
  readonly haveRun = (): boolean => this.#last !== undefined || this.#host.checks().length === 0;

  record(heartbeat: Heartbeat): void {
    this.#last = { level: heartbeat.level, failed: heartbeat.failed };
    this.#at = performance.now();
    this.counts.add(heartbeat.level);
    this.recordChecks(heartbeat);
  }

  recordChecks({ results }: Pick<Heartbeat, 'results'>): void {
    for (const result of results) this.#seriesOf(result.name)?.record(result);
  }

  /** None for a name that is not registered, such as a slip in a group. */
  #seriesOf(name: string): CheckSeries | undefined {
    const known = this.#checks.get(name);
    if (known !== undefined || !this.#host.checks().some((check) => check.name === name)) return known;
    const made = new CheckSeries(name);
    this.#checks.set(name, made);
    return made;
  }

  /** Of the latest heartbeat. */
  ofLast(value: (last: Pick<Heartbeat, 'level' | 'failed'>) => number): (emit: Emit) => void {
    return (emit) => {
      if (this.#last !== undefined) emit(value(this.#last), noLabels);
    };
  }

  /** One sample a check, unless there is none. */
  ofChecks(value: (check: CheckSeries) => number | undefined): (emit: Emit) => void {
    return this.ofEachCheck((check, emit) => {
      const sample = value(check);
      if (sample !== undefined) emit(sample, check.labels);
    });
  }

  ofEachCheck(collect: (check: CheckSeries, emit: Emit) => void): (emit: Emit) => void {
    return (emit) => {
      for (const check of this.#checks.values()) collect(check, emit);
    };
  }
}
