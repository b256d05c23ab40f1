import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { Finding } from '../core/heartbeat/messages.js';
import type { Level, Status, CheckResult } from '../core/heartbeat/result.js';
import { reportBody } from '../core/heartbeat/report.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';

const keptResults = 200;
const keptTransitions = 50;
/** Characters kept of a report, so that a thousand failing checks do not fill the memory. */
const maxReportLength = 16_384;
const keptMessages = 5;

/** The scope of a failing check, and the evidence for it. */
export type Verdict = VerdictChange['checks'][number];

/** A check that came out of a heartbeat in another state than it went in. */
export interface Change {
  readonly name: string;
  /** Undefined for a check that was not seen before. */
  readonly from: Status | undefined;
  readonly to: Status;
  readonly messages: readonly Finding[];
}

/** A heartbeat in which something changed. */
export interface Transition {
  /** The number of the heartbeat, and when it ended. */
  readonly beat: number;
  readonly at: number;
  /** The overall status before; undefined for the first heartbeat. */
  readonly from: Status | undefined;
  readonly to: Status;
  /** The checks that caused it. */
  readonly changes: readonly Change[];
  /** The report at that time, unless it was only a recovery; cut after 16,384 characters. */
  readonly report: string | undefined;
}

export interface State {
  readonly level: Level;
  readonly status: Status;
  readonly failed: boolean;
  readonly since: number;
}

/** The flight recorder: results of heartbeats that run anyway, in bounded memory. It runs no check. */
export class History {
  /** The overall state; undefined before the first heartbeat. */
  state: State | undefined;
  previous: State | undefined;
  /** How many heartbeats were recorded, and when the last of them ended. */
  beats = 0;
  last = 0;
  /** Goes up whenever there is something new. */
  revision = 0;
  /** Milliseconds between heartbeats, the later ones weighing more; 0 before the second. */
  interval = 0;
  readonly #checks = new Map<string, CheckHistory>();
  readonly #transitions: Transition[] = [];
  readonly #withTexts: boolean;
  #verdicts: ReadonlyMap<string, Verdict> = new Map();
  #recorded: Heartbeat | undefined;

  /** `withTexts`: whether the reports that are kept may carry the texts of messages. */
  constructor(withTexts = true) {
    this.#withTexts = withTexts;
  }

  /** The checks of the last heartbeat, in the order of registration. */
  get checks(): readonly CheckHistory[] {
    return [...this.#checks.values()];
  }

  /** The scope of a failing check, as the probes report it. */
  verdictOf(check: string): Verdict | undefined {
    return this.#verdicts.get(check);
  }

  /** The transitions, the latest first. */
  get transitions(): readonly Transition[] {
    return this.#transitions.toReversed();
  }

  /** Records a heartbeat. One that several requests share counts once. */
  record(heartbeat: Heartbeat, now: number = Date.now()): void {
    if (heartbeat === this.#recorded) return;
    this.#recorded = heartbeat;
    if (this.state !== undefined) {
      const gap = Math.max(0, now - this.last);
      this.interval = this.interval === 0 ? gap : this.interval * 0.8 + gap * 0.2;
    }
    this.last = now;
    this.beats += 1;
    const changes = this.#recordChecks(heartbeat.results, now);
    this.#recordState(heartbeat, changes, now);
    this.announce();
  }

  /** Records the verdicts of the probes. */
  judge({ checks }: VerdictChange): void {
    this.#verdicts = new Map(checks.map((verdict) => [verdict.name, verdict]));
    this.announce();
  }

  /** Marks that there is something new to show. */
  announce(): void {
    this.revision += 1;
  }

  #recordChecks(results: readonly CheckResult[], now: number): readonly Change[] {
    const changes: Change[] = [];
    for (const result of results) {
      const check = this.#checks.get(result.name);
      const from = check?.last.status;
      if (check === undefined) this.#checks.set(result.name, new CheckHistory(result, now));
      else check.add(result, now);
      if (result.status === (from ?? 'ok')) continue;
      const { name, status: to, messages } = result;
      changes.push({ name, from, to, messages: messages.slice(0, keptMessages) });
    }
    if (this.#checks.size > results.length) this.#forgetAllBut(results);
    return changes;
  }

  #recordState(heartbeat: Heartbeat, changes: readonly Change[], now: number): void {
    const { level, status, failed } = heartbeat;
    const from = this.state?.status;
    if (from !== status) {
      this.previous = this.state;
      this.state = { level, status, failed, since: now };
    } else if (changes.length === 0) {
      return;
    }
    const worse = changes.some(({ to }) => to !== 'ok');
    const report = worse ? reportBody(heartbeat, this.#withTexts).slice(0, maxReportLength) : undefined;
    this.#transitions.push({ beat: this.beats, at: now, from, to: status, changes, report });
    if (this.#transitions.length > keptTransitions) this.#transitions.shift();
  }

  #forgetAllBut(results: readonly CheckResult[]): void {
    const names = new Set(results.map(({ name }) => name));
    for (const name of this.#checks.keys()) if (!names.has(name)) this.#checks.delete(name);
  }
}

export class CheckHistory {
  last: CheckResult;
  /** When it was first seen in this state, in milliseconds since 1970. */
  since: number;
  /** The oldest first. */
  readonly #runs: Pick<CheckResult, 'level' | 'duration'>[] = [];

  constructor(first: CheckResult, now: number) {
    this.last = first;
    this.since = now;
    this.#keep(first);
  }

  add(result: CheckResult, now: number): void {
    if (result.level !== this.last.level) this.since = now;
    this.last = result;
    // A cached result is not a new run.
    if (result.repeated !== true) this.#keep(result);
  }

  /** The levels of the last results, the oldest first. */
  get results(): readonly Level[] {
    return this.#runs.map(({ level }) => level);
  }

  /** The milliseconds that this share of the runs took at most. */
  percentile(share: number): number {
    const sorted = this.#runs.map(({ duration }) => duration).toSorted((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * share) - 1] ?? this.last.duration;
  }

  #keep({ level, duration }: CheckResult): void {
    this.#runs.push({ level, duration });
    if (this.#runs.length > keptResults) this.#runs.shift();
  }
}
