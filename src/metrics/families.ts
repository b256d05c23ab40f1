import { within } from '../core/time.js';
import type { FeatureHost } from '../core/feature.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { logLines } from '../core/log.js';
import { loop } from '../core/loop.js';
import { clean } from '../core/scrub/scrub.js';
import type { VersionOutcome } from '../core/version.js';
import { type Emit, type Family, LabelSet, noLabels } from './exposition.js';
import { HeartbeatSeries } from './heartbeat-series.js';

/** The parts of a Health that the series read. */
export type SeriesHost = Pick<
  FeatureHost<never>,
  'checks' | 'draining' | 'heartbeat' | 'options' | 'version'
>;

const probes = (['live', 'ready', 'started'] as const).map(
  (probe) => [probe, new LabelSet({ probe })] as const,
);

/** The verdicts of an application that has not started: the probes report changes only. */
const notStarted: VerdictChange = { live: 'pass', ready: 'fail', started: 'fail', checks: [] };

/** Everything that is known of one Health, for Prometheus and for OpenTelemetry. */
export class Series {
  readonly heartbeats: HeartbeatSeries;
  readonly build: BuildInfo;
  /** In the order of a scrape. Those of features that are off have no samples. */
  readonly families: readonly Family[];
  readonly #host: SeriesHost;
  #verdict: VerdictChange | undefined;

  constructor(host: SeriesHost) {
    this.#host = host;
    this.build = new BuildInfo(host.version);
    this.heartbeats = new HeartbeatSeries(host);
    if (host.options.probes !== undefined) this.#verdict = notStarted;
    this.families = [...this.#ofHeartbeats(), ...this.#ofChecks(), ...this.#ofTheProcess()];
  }

  recordVerdict(change: VerdictChange): void {
    this.#verdict = change;
  }

  #ofHeartbeats(): readonly Family[] {
    const { heartbeats } = this;
    return [
      gauge(
        'lifesign_build_info',
        'The running build: the fields of the version object. Always 1.',
        ['lifesign.build.info', '1'],
        this.build.collect,
      ),
      gauge(
        'lifesign_heartbeat_level',
        'Level of the latest heartbeat: 0 ok, 10 debug, 20 info, 30 warning, 40 error, 50 critical.',
        ['lifesign.heartbeat.level', '1'],
        heartbeats.ofLast(({ level }) => level),
      ),
      gauge(
        'lifesign_heartbeat_failed',
        '1 if the latest heartbeat was at failLevel or above, else 0.',
        ['lifesign.heartbeat.failed', '1'],
        heartbeats.ofLast(({ failed }) => Number(failed)),
      ),
      counter(
        'lifesign_heartbeats_total',
        'Number of heartbeats, by status.',
        ['lifesign.heartbeats', '{heartbeat}'],
        (emit) => heartbeats.counts.collect(emit, true),
      ),
    ];
  }

  #ofChecks(): readonly Family[] {
    const { heartbeats } = this;
    return [
      gauge(
        'lifesign_check_level',
        'Level of the latest result of a check.',
        ['lifesign.check.level', '1'],
        heartbeats.ofChecks(({ last }) => last?.level),
      ),
      gauge(
        'lifesign_check_up',
        '1 if the latest result of a check was below failLevel, else 0.',
        ['lifesign.check.up', '1'],
        heartbeats.ofChecks(({ last }) => Number(last?.failed !== true)),
      ),
      gauge(
        'lifesign_check_capped',
        '1 if the latest result of a check fails and only maxLevel keeps it below failLevel, else 0.',
        ['lifesign.check.capped', '1'],
        heartbeats.ofChecks(({ last }) => Number(last?.capped === true)),
      ),
      {
        name: 'lifesign_check_duration_seconds',
        help: 'Duration of the runs of a check.',
        type: 'histogram',
        otel: ['lifesign.check.duration', 's'],
        collect: heartbeats.ofEachCheck(({ duration }, emit) => duration.collect(emit)),
      },
      counter(
        'lifesign_check_runs_total',
        'Number of runs of a check, by status.',
        ['lifesign.check.runs', '{run}'],
        heartbeats.ofEachCheck(({ runs }, emit) => runs.collect(emit, false)),
      ),
      gauge(
        'lifesign_check_last_success_timestamp_seconds',
        'Unix time at which the latest run of a check ended that did not fail.',
        ['lifesign.check.last_success', 's'],
        heartbeats.ofChecks(({ lastSuccess }) => lastSuccess),
      ),
      gauge(
        'lifesign_check_message',
        'Level of each message in the latest result of a check, by message id.',
        ['lifesign.check.message', '1'],
        heartbeats.ofEachCheck((check, emit) => check.collectMessages(emit)),
      ),
      gauge(
        'lifesign_certificate_expiry_timestamp_seconds',
        'Unix time at which the certificate of a check expires, as it was last read.',
        ['lifesign.certificate.expiry', 's'],
        this.#certificates,
      ),
    ];
  }

  #ofTheProcess(): readonly Family[] {
    return [
      gauge(
        'lifesign_start_time_seconds',
        'Unix time at which the process started.',
        ['lifesign.start_time', 's'],
        (emit) => emit(performance.timeOrigin / 1000, noLabels),
      ),
      gauge(
        'lifesign_draining',
        '1 while the process is draining, else 0.',
        ['lifesign.draining', '1'],
        (emit) => emit(Number(this.#host.draining()), noLabels),
      ),
      counter(
        'lifesign_log_lines_dropped_total',
        'Number of lifesign log lines dropped because standard output was not read fast enough.',
        ['lifesign.log.lines_dropped', '{line}'],
        (emit) => emit(logLines.dropped, noLabels),
      ),
      counter(
        'lifesign_event_loop_blocks_total',
        'Number of event-loop blocks detected by the watchdog.',
        ['lifesign.event_loop.blocks', '{block}'],
        this.#watched(() => loop.blocks),
      ),
      counter(
        'lifesign_event_loop_blocked_seconds_total',
        'Total duration of the event-loop blocks that have ended.',
        ['lifesign.event_loop.blocked_time', 's'],
        this.#watched(() => loop.blockedFor / 1000),
      ),
      gauge('lifesign_probe_up', '1 if a probe passes, else 0.', ['lifesign.probe.up', '1'], this.#verdicts),
    ];
  }

  readonly #certificates = (emit: Emit): void => {
    for (const { name, expiry: expiryOf } of this.#host.checks()) {
      const expiry = expiryOf?.();
      if (expiry !== undefined) emit(expiry / 1000, new LabelSet({ check: name }));
    }
  };

  #watched(value: () => number): Family['collect'] {
    return (emit) => {
      if (this.#host.options.watchdog !== undefined || loop.last !== undefined) emit(value(), noLabels);
    };
  }

  readonly #verdicts = (emit: Emit): void => {
    const verdict = this.#verdict;
    // Until something asks, it is not known whether it is ready, and a 0 would fire an alert.
    if (verdict === undefined || (verdict === notStarted && !this.heartbeats.haveRun())) return;
    for (const [probe, labels] of probes) emit(Number(verdict[probe] === 'pass'), labels);
  };
}

function gauge(name: string, help: string, otel: Family['otel'], collect: Family['collect']): Family {
  return { name, help, type: 'gauge', otel, collect };
}

function counter(name: string, help: string, otel: Family['otel'], collect: Family['collect']): Family {
  return { name, help, type: 'counter', otel, collect };
}

/** Milliseconds that a scrape waits for a version callback. */
const versionTimeout = 1000;
const longestValue = 200;

/** The fields of a version object that are reported, a fixed set, as text without secrets: empty if one is missing or not a scalar. */
export function buildOf(version: Readonly<Record<string, unknown>>) {
  const textOf = (name: string): string => {
    const value = Object.hasOwn(version, name) ? version[name] : undefined;
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isScalar ? clean(String(value), longestValue) : '';
  };
  return {
    commit: textOf('commit'),
    version: textOf('version'),
    build: textOf('build'),
    source: textOf('source'),
  };
}

/** The version object as the labels of one series. */
class BuildInfo {
  readonly #version: () => Promise<VersionOutcome>;
  #json: string | undefined;
  #labels = new LabelSet(buildOf({}));

  constructor(version: () => Promise<VersionOutcome>) {
    this.#version = version;
  }

  /** Reads the version object; keeps the last one if that takes too long. Never rejects. */
  async read(): Promise<void> {
    const outcome = await within(this.#version(), versionTimeout, undefined);
    if (outcome === undefined) return;
    const json = outcome.kind === 'found' ? outcome.json : undefined;
    if (json === this.#json) return;
    this.#json = json;
    this.#labels = new LabelSet(buildOf(json === undefined ? {} : JSON.parse(json)));
  }

  readonly collect = (emit: Emit): void => emit(1, this.#labels);
}
