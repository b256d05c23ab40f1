import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { type CheckResult, type Level, statusOf } from '../core/heartbeat/result.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { logLines } from '../core/log.js';
import { loop } from '../core/loop.js';
import { clean } from '../core/scrub/scrub.js';
import { within } from '../core/time.js';
import { type Emit, type Family, Histogram, LabelSet, noLabels } from './exposition.js';

/** Seconds. A check that takes longer than the last of them has mostly timed out. */
export const bounds = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10];
/** The application chooses message ids: only so many of one result become labels. */
const maxIds = 10;
const maxIdLength = 100;
/** Milliseconds that a scrape waits for a version callback. */
const versionTimeout = 1000;
const maxFieldLength = 200;

const levels: readonly Level[] = [0, 10, 20, 30, 40, 50];
const probes = (['live', 'ready', 'started'] as const).map(
  (probe) => [probe, new LabelSet({ probe })] as const,
);
/** The verdicts of an application that has not started: the probes report changes only. */
const notStarted: VerdictChange = { live: 'pass', ready: 'fail', started: 'fail', checks: [] };

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

  /** `all`: also those that never occurred. */
  collect(emit: Emit, all: boolean): void {
    for (const [index, labels] of this.#labels.entries()) {
      const count = this.#counts[index] ?? 0;
      if (all || count > 0) emit(count, labels);
    }
  }
}

/** A repeated result and one without a run do not count. */
const isRun = ({ repeated, notRun }: CheckResult): boolean => repeated !== true && notRun !== true;

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
    for (const { id: rawId, level } of this.last?.messages ?? []) {
      const id = clean(rawId, maxIdLength);
      const worst = byId.get(id) ?? 0;
      if (byId.size < maxIds || byId.has(id)) byId.set(id, level > worst ? level : worst);
    }
    for (const [id, level] of byId) emit(level, new LabelSet({ ...this.labels.pairs, id }));
  }
}

/** One sample without labels, unless there is none. */
const single =
  (value: () => number | undefined): Family['collect'] =>
  (emit) => {
    const sample = value();
    if (sample !== undefined) emit(sample, noLabels);
  };

/** All series of one Health, for Prometheus and for OpenTelemetry. */
export class Series implements Feature<never> {
  /** In the order of a scrape. The series of features that are off have no samples. */
  readonly families: readonly Family[];
  /** Called with each run of a check, and how many seconds it took: OpenTelemetry observes no histogram. */
  onRun: ((check: string, seconds: number) => void) | undefined;
  readonly #host: FeatureHost<never>;
  readonly #checks = new Map<string, CheckSeries>();
  readonly #heartbeats = new Counts({});
  #last: Pick<Heartbeat, 'level' | 'failed'> | undefined;
  #lastAt = -Infinity;
  #verdict: VerdictChange | undefined;
  /** The version object that the labels of the build were made from. */
  #version: string | undefined;
  #build = new LabelSet(buildFields({}));

  constructor(host: FeatureHost<never>) {
    this.#host = host;
    if (host.options.probes !== undefined) this.#verdict = notStarted;
    this.families = [...this.#ofResults(), ...this.#ofTheProcess()];
  }

  /** Milliseconds since the last heartbeat of all checks. */
  get age(): number {
    return performance.now() - this.#lastAt;
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#last = { level: heartbeat.level, failed: heartbeat.failed };
    this.#lastAt = performance.now();
    this.#heartbeats.add(heartbeat.level);
    this.onGroupHeartbeat(heartbeat);
  }

  onGroupHeartbeat({ results }: Heartbeat): void {
    for (const result of results) {
      const { name } = result;
      // A group may name a check that is not registered.
      if (!this.#checks.has(name) && this.#host.checks().some((check) => check.name === name))
        this.#checks.set(name, new CheckSeries(name));
      const check = this.#checks.get(name);
      check?.record(result);
      if (check !== undefined && isRun(result)) this.onRun?.(name, result.duration / 1000);
    }
  }

  onVerdict(change: VerdictChange): void {
    this.#verdict = change;
  }

  /** Reads the version object; keeps the last one if that takes too long. Never rejects. */
  async readBuild(): Promise<void> {
    const outcome = await within(this.#host.version(), versionTimeout, undefined);
    if (outcome === undefined) return;
    const version = outcome.kind === 'found' ? outcome.json : undefined;
    if (version === this.#version) return;
    this.#version = version;
    this.#build = new LabelSet(buildFields(version === undefined ? {} : JSON.parse(version)));
  }

  #ofEachCheck(collect: (check: CheckSeries, emit: Emit) => void): Family['collect'] {
    return (emit) => {
      for (const check of this.#checks.values()) collect(check, emit);
    };
  }

  /** One sample a check, unless there is none. */
  #ofChecks(value: (check: CheckSeries) => number | undefined): Family['collect'] {
    return this.#ofEachCheck((check, emit) => {
      const sample = value(check);
      if (sample !== undefined) emit(sample, check.labels);
    });
  }

  #isWatched(): boolean {
    return this.#host.options.watchdog !== undefined || loop.last !== undefined;
  }

  #ofResults(): readonly Family[] {
    return [
      gauge(
        'lifesign_build_info',
        'The running build: the fields of the version object. Always 1.',
        ['lifesign.build.info', '1'],
        (emit) => emit(1, this.#build),
      ),
      gauge(
        'lifesign_heartbeat_level',
        'Level of the latest heartbeat: 0 ok, 10 debug, 20 info, 30 warning, 40 error, 50 critical.',
        ['lifesign.heartbeat.level', '1'],
        single(() => this.#last?.level),
      ),
      gauge(
        'lifesign_heartbeat_failed',
        '1 if the latest heartbeat was at failLevel or above, else 0.',
        ['lifesign.heartbeat.failed', '1'],
        single(() => this.#last && Number(this.#last.failed)),
      ),
      counter(
        'lifesign_heartbeats_total',
        'Number of heartbeats, by status.',
        ['lifesign.heartbeats', '{heartbeat}'],
        (emit) => this.#heartbeats.collect(emit, true),
      ),
      gauge(
        'lifesign_check_level',
        'Level of the latest result of a check.',
        ['lifesign.check.level', '1'],
        this.#ofChecks(({ last }) => last?.level),
      ),
      gauge(
        'lifesign_check_up',
        '1 if the latest result of a check was below failLevel, else 0.',
        ['lifesign.check.up', '1'],
        this.#ofChecks(({ last }) => Number(last?.failed !== true)),
      ),
      gauge(
        'lifesign_check_capped',
        '1 if the latest result of a check fails and only maxLevel keeps it below failLevel, else 0.',
        ['lifesign.check.capped', '1'],
        this.#ofChecks(({ last }) => Number(last?.capped === true)),
      ),
      {
        name: 'lifesign_check_duration_seconds',
        help: 'Duration of the runs of a check.',
        type: 'histogram',
        otel: ['lifesign.check.duration', 's'],
        collect: this.#ofEachCheck(({ duration }, emit) => duration.collect(emit)),
      },
      counter(
        'lifesign_check_runs_total',
        'Number of runs of a check, by status.',
        ['lifesign.check.runs', '{run}'],
        this.#ofEachCheck(({ runs }, emit) => runs.collect(emit, false)),
      ),
      gauge(
        'lifesign_check_last_success_timestamp_seconds',
        'Unix time at which the latest run of a check ended that did not fail.',
        ['lifesign.check.last_success', 's'],
        this.#ofChecks(({ lastSuccess }) => lastSuccess),
      ),
      gauge(
        'lifesign_check_message',
        'Level of each message in the latest result of a check, by message id.',
        ['lifesign.check.message', '1'],
        this.#ofEachCheck((check, emit) => check.collectMessages(emit)),
      ),
      gauge(
        'lifesign_certificate_expiry_timestamp_seconds',
        'Unix time at which the certificate of a check expires, as it was last read.',
        ['lifesign.certificate.expiry', 's'],
        (emit) => {
          for (const { name, expiry: readExpiry } of this.#host.checks()) {
            const expiry = readExpiry?.();
            if (expiry !== undefined) emit(expiry / 1000, new LabelSet({ check: name }));
          }
        },
      ),
    ];
  }

  #ofTheProcess(): readonly Family[] {
    return [
      gauge(
        'lifesign_start_time_seconds',
        'Unix time at which the process started.',
        ['lifesign.start_time', 's'],
        single(() => performance.timeOrigin / 1000),
      ),
      gauge(
        'lifesign_draining',
        '1 while the process is draining, else 0.',
        ['lifesign.draining', '1'],
        single(() => Number(this.#host.draining())),
      ),
      counter(
        'lifesign_log_lines_dropped_total',
        'Number of lifesign log lines dropped because standard output was not read fast enough.',
        ['lifesign.log.lines_dropped', '{line}'],
        single(() => logLines.dropped),
      ),
      counter(
        'lifesign_event_loop_blocks_total',
        'Number of event-loop blocks detected by the watchdog.',
        ['lifesign.event_loop.blocks', '{block}'],
        single(() => (this.#isWatched() ? loop.blocks : undefined)),
      ),
      counter(
        'lifesign_event_loop_blocked_seconds_total',
        'Total duration of the event-loop blocks that have ended.',
        ['lifesign.event_loop.blocked_time', 's'],
        single(() => (this.#isWatched() ? loop.blockedFor / 1000 : undefined)),
      ),
      gauge('lifesign_probe_up', '1 if a probe passes, else 0.', ['lifesign.probe.up', '1'], (emit) => {
        const verdict = this.#verdict;
        const haveRun = this.#last !== undefined || this.#host.checks().length === 0;
        // Until something requests a probe, it is not known whether it is ready, and a 0 would fire an alert.
        if (verdict === undefined || (verdict === notStarted && !haveRun)) return;
        for (const [probe, labels] of probes) emit(Number(verdict[probe] === 'pass'), labels);
      }),
    ];
  }
}

function gauge(name: string, help: string, otel: Family['otel'], collect: Family['collect']): Family {
  return { name, help, type: 'gauge', otel, collect };
}

function counter(name: string, help: string, otel: Family['otel'], collect: Family['collect']): Family {
  return { name, help, type: 'counter', otel, collect };
}

/** The fields of a version object that are reported, a fixed set, as text without secrets: empty if one is missing or not a scalar. */
export function buildFields(version: Readonly<Record<string, unknown>>) {
  const fieldText = (name: string): string => {
    const value = Object.hasOwn(version, name) ? version[name] : undefined;
    return ['string', 'number', 'boolean'].includes(typeof value) ? clean(String(value), maxFieldLength) : '';
  };
  return {
    commit: fieldText('commit'),
    version: fieldText('version'),
    build: fieldText('build'),
    source: fieldText('source'),
  };
}
