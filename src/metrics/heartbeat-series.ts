import type { FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import { type Level, statusOf } from '../core/heartbeat/messages.js';
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
  level: Level = 0;
  messages: CheckResult['messages'] = [];
  up = true;
  capped = false;
  /** In seconds since 1970. */
  lastSuccess: number | undefined;

  constructor(check: string) {
    this.labels = new LabelSet({ check });
    this.runs = new Counts({ check });
    this.duration = new Histogram(bounds, this.labels);
  }

  record(result: CheckResult): void {
    const { level, failed, messages, duration } = result;
    const up = !failed;
    this.level = level;
    this.messages = messages;
    this.up = up;
    this.capped = result.capped === true;
    if (!isRun(result)) return;
    this.runs.add(level);
    this.duration.observe(duration / 1000);
    if (up && !this.capped) this.lastSuccess = Date.now() / 1000;
  }
}

/** The results of heartbeats as series. */
export class HeartbeatSeries {
  readonly #host: Pick<FeatureHost<never>, 'checks'>;
  readonly #checks = new Map<string, CheckSeries>();
  readonly #counts = new Counts({});
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
    this.#counts.add(heartbeat.level);
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

  readonly level = (emit: Emit): void => {
    if (this.#last !== undefined) emit(this.#last.level, noLabels);
  };
  readonly failed = (emit: Emit): void => {
    if (this.#last !== undefined) emit(Number(this.#last.failed), noLabels);
  };
  readonly heartbeats = (emit: Emit): void => this.#counts.collect(emit, true);
  readonly checkLevel = (emit: Emit): void => {
    for (const { labels, level } of this.#checks.values()) emit(level, labels);
  };
  readonly checkMessages = (emit: Emit): void => {
    for (const { labels, messages } of this.#checks.values()) {
      const byId = new Map<string, Level>();
      for (const { id, level } of messages) {
        const short = clean(id, maxIdLength);
        if (byId.size < maxIds || byId.has(short)) byId.set(short, maxLevel(byId.get(short) ?? 0, level));
      }
      for (const [id, level] of byId) emit(level, new LabelSet({ ...labels.pairs, id }));
    }
  };
  readonly checkUp = (emit: Emit): void => {
    for (const { labels, up } of this.#checks.values()) emit(Number(up), labels);
  };
  readonly checkCapped = (emit: Emit): void => {
    for (const { labels, capped } of this.#checks.values()) emit(Number(capped), labels);
  };
  readonly checkDuration = (emit: Emit): void => {
    for (const { duration } of this.#checks.values()) duration.collect(emit);
  };
  readonly checkRuns = (emit: Emit): void => {
    for (const { runs } of this.#checks.values()) runs.collect(emit, false);
  };
  readonly checkLastSuccess = (emit: Emit): void => {
    for (const { labels, lastSuccess } of this.#checks.values()) {
      if (lastSuccess !== undefined) emit(lastSuccess, labels);
    }
  };
}
