import { certificateExpiries } from '../core/heartbeat/certificates.js';
import type { FeatureHost } from '../core/feature.js';
import { logLines } from '../core/log.js';
import { loop } from '../core/loop.js';
import type { BuildInfo } from './build-info.js';
import type { HeartbeatSeries } from './check-series.js';
import type { Emit, Family } from './family.js';
import { LabelSet, noLabels } from './labels.js';
import type { RequestSeries } from './request-series.js';
import type { Verdicts } from './verdicts.js';

/** The parts of a Health that the series read. */
export type MetricsSource = Pick<
  FeatureHost<never>,
  'checks' | 'draining' | 'heartbeat' | 'options' | 'version'
>;

const one = (value: () => number) => (emit: Emit) => emit(value(), noLabels);

/** Every family that may have samples, in the order of a scrape. Those of features that are off have none. */
export function familiesOf(
  source: MetricsSource,
  build: BuildInfo,
  heartbeats: HeartbeatSeries,
  requests: RequestSeries,
  verdicts: Verdicts,
): readonly Family[] {
  return [
    {
      name: 'lifesign_build_info',
      help: 'The running build: the fields of the version object. Always 1.',
      type: 'info',
      aggregator: 'max',
      collect: (emit) => build.collect(emit),
    },
    ...ofHeartbeats(heartbeats),
    ...ofChecks(heartbeats),
    ...ofCertificates(source),
    ...ofTheProcess(source),
    ...ofTheLoop(source),
    {
      name: 'lifesign_probe_up',
      help: '1 if a probe passes, else 0.',
      type: 'gauge',
      aggregator: 'min',
      collect: verdicts.collect,
    },
    {
      name: 'http_server_request_duration_seconds',
      help: 'Duration of HTTP server requests.',
      type: 'histogram',
      unit: 'seconds',
      aggregator: 'sum',
      collect: requests.duration,
    },
  ];
}

function ofHeartbeats(heartbeats: HeartbeatSeries): readonly Family[] {
  return [
    {
      name: 'lifesign_heartbeat_level',
      help: 'Level of the latest heartbeat: 0 ok, 10 debug, 20 info, 30 warning, 40 error, 50 critical.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.level,
    },
    {
      name: 'lifesign_heartbeat_failed',
      help: '1 if the latest heartbeat was at failLevel or above, else 0.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.failed,
    },
    {
      name: 'lifesign_heartbeats_total',
      help: 'Number of heartbeats, by status.',
      type: 'counter',
      aggregator: 'sum',
      collect: heartbeats.heartbeats,
    },
  ];
}

function ofChecks(heartbeats: HeartbeatSeries): readonly Family[] {
  return [
    {
      name: 'lifesign_check_level',
      help: 'Level of the latest result of a check.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.checkLevel,
    },
    {
      name: 'lifesign_check_up',
      help: '1 if the latest result of a check was below failLevel, else 0.',
      type: 'gauge',
      aggregator: 'min',
      collect: heartbeats.checkUp,
    },
    {
      name: 'lifesign_check_capped',
      help: '1 if the latest result of a check fails and only maxLevel keeps it below failLevel, else 0.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.checkCapped,
    },
    {
      name: 'lifesign_check_duration_seconds',
      help: 'Duration of the runs of a check.',
      type: 'histogram',
      unit: 'seconds',
      aggregator: 'sum',
      collect: heartbeats.checkDuration,
    },
    {
      name: 'lifesign_check_runs_total',
      help: 'Number of runs of a check, by status.',
      type: 'counter',
      aggregator: 'sum',
      collect: heartbeats.checkRuns,
    },
    {
      name: 'lifesign_check_last_success_timestamp_seconds',
      help: 'Unix time at which the latest run of a check ended that did not fail.',
      type: 'gauge',
      unit: 'seconds',
      aggregator: 'max',
      collect: heartbeats.checkLastSuccess,
    },
    {
      name: 'lifesign_check_message',
      help: 'Level of each message in the latest result of a check, by message id.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.checkMessages,
    },
  ];
}

function ofCertificates({ checks }: MetricsSource): readonly Family[] {
  return [
    {
      name: 'lifesign_certificate_expiry_timestamp_seconds',
      help: 'Unix time at which the certificate of a check expires, as it was last read.',
      type: 'gauge',
      unit: 'seconds',
      aggregator: 'min',
      collect: (emit) => {
        for (const { name, run } of checks()) {
          const expiry = certificateExpiries.get(run);
          if (expiry !== undefined) emit(expiry / 1000, new LabelSet({ check: name }));
        }
      },
    },
  ];
}

function ofTheProcess({ draining }: MetricsSource): readonly Family[] {
  return [
    {
      name: 'lifesign_start_time_seconds',
      help: 'Unix time at which the process started.',
      type: 'gauge',
      unit: 'seconds',
      aggregator: 'max',
      collect: (emit) => {
        // Workers do not know it.
        if (performance.timeOrigin > 0) emit(performance.timeOrigin / 1000, noLabels);
      },
    },
    {
      name: 'lifesign_draining',
      help: '1 while the process is draining, else 0.',
      type: 'gauge',
      aggregator: 'max',
      collect: one(() => Number(draining())),
    },
    {
      name: 'lifesign_log_lines_dropped_total',
      help: 'Number of lifesign log lines dropped because standard output was not read fast enough.',
      type: 'counter',
      aggregator: 'sum',
      collect: one(() => logLines.dropped),
    },
  ];
}

function ofTheLoop({ options }: MetricsSource): readonly Family[] {
  const watched = (value: () => number) => (emit: Emit) => {
    if (options.watchdog !== undefined || loop.last !== undefined) emit(value(), noLabels);
  };
  return [
    {
      name: 'lifesign_event_loop_blocks_total',
      help: 'Number of event-loop blocks detected by the watchdog.',
      type: 'counter',
      aggregator: 'sum',
      collect: watched(() => loop.blocks),
    },
    {
      name: 'lifesign_event_loop_blocked_seconds_total',
      help: 'Total duration of the event-loop blocks that have ended.',
      type: 'counter',
      unit: 'seconds',
      aggregator: 'sum',
      collect: watched(() => loop.blockedFor / 1000),
    },
  ];
}
