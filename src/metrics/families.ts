import type { FeatureHost } from '../core/feature.js';
import { logLines } from '../core/log.js';
import { loop } from '../core/loop.js';
import type { BuildInfo } from './build-info.js';
import type { HeartbeatSeries } from './check-series.js';
import type { Emit, Family } from './family.js';
import { noLabels } from './labels.js';
import type { RequestSeries } from './request-series.js';
import type { Verdicts } from './verdicts.js';

/** What is read of a Health. */
export type MetricsSource = Pick<
  FeatureHost<never>,
  'checks' | 'draining' | 'heartbeat' | 'options' | 'version'
>;

const one = (value: () => number) => (emit: Emit) => emit(value(), noLabels);

/** Every family that may have samples, in the order of a scrape. Those of features that are off have none. */
export function familiesOf(
  { draining, options }: MetricsSource,
  build: BuildInfo,
  heartbeats: HeartbeatSeries,
  requests: RequestSeries,
  verdicts: Verdicts,
): readonly Family[] {
  const watched = (value: () => number) => (emit: Emit) => {
    if (options.watchdog !== undefined || loop.last !== undefined) emit(value(), noLabels);
  };
  return [
    {
      name: 'lifesign_build_info',
      help: 'What runs here: fields of the version object. Always 1.',
      type: 'info',
      aggregator: 'max',
      collect: (emit) => build.collect(emit),
    },
    {
      name: 'lifesign_heartbeat_level',
      help: 'Level of the last heartbeat: 0 ok, 10 debug, 20 info, 30 warning, 40 error, 50 critical.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.level,
    },
    {
      name: 'lifesign_heartbeat_failed',
      help: 'Whether the last heartbeat failed: 1 at failLevel and above, else 0.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.failed,
    },
    {
      name: 'lifesign_heartbeats_total',
      help: 'Heartbeats by status.',
      type: 'counter',
      aggregator: 'sum',
      collect: heartbeats.heartbeats,
    },
    {
      name: 'lifesign_check_level',
      help: 'Level of the last result of a check.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.checkLevel,
    },
    {
      name: 'lifesign_check_up',
      help: 'Whether the last result of a check was below failLevel: 1, else 0.',
      type: 'gauge',
      aggregator: 'min',
      collect: heartbeats.checkUp,
    },
    {
      name: 'lifesign_check_duration_seconds',
      help: 'How long the runs of a check took.',
      type: 'histogram',
      unit: 'seconds',
      aggregator: 'sum',
      collect: heartbeats.checkDuration,
    },
    {
      name: 'lifesign_check_runs_total',
      help: 'Runs of a check by status.',
      type: 'counter',
      aggregator: 'sum',
      collect: heartbeats.checkRuns,
    },
    {
      name: 'lifesign_check_last_success_timestamp_seconds',
      help: 'When the last run of a check that was below failLevel ended, in seconds since 1970.',
      type: 'gauge',
      unit: 'seconds',
      aggregator: 'max',
      collect: heartbeats.checkLastSuccess,
    },
    {
      name: 'lifesign_check_message',
      help: 'Levels of the messages in the last result of a check, by their ids.',
      type: 'gauge',
      aggregator: 'max',
      collect: heartbeats.checkMessages,
    },
    {
      name: 'lifesign_start_time_seconds',
      help: 'When the process started, in seconds since 1970.',
      type: 'gauge',
      unit: 'seconds',
      aggregator: 'max',
      collect: (emit) => {
        // Workers do not tell.
        if (performance.timeOrigin > 0) emit(performance.timeOrigin / 1000, noLabels);
      },
    },
    {
      name: 'lifesign_draining',
      help: 'Whether the process is leaving: 1, else 0.',
      type: 'gauge',
      aggregator: 'max',
      collect: one(() => Number(draining())),
    },
    {
      name: 'lifesign_log_lines_dropped_total',
      help: 'Log lines of lifesign that were dropped because standard output was not read fast enough.',
      type: 'counter',
      aggregator: 'sum',
      collect: one(() => logLines.dropped),
    },
    {
      name: 'lifesign_event_loop_blocks_total',
      help: 'Blocks of the event loop that the watchdog noticed.',
      type: 'counter',
      aggregator: 'sum',
      collect: watched(() => loop.blocks),
    },
    {
      name: 'lifesign_event_loop_blocked_seconds_total',
      help: 'Seconds that those blocks lasted, once they were over.',
      type: 'counter',
      unit: 'seconds',
      aggregator: 'sum',
      collect: watched(() => loop.blockedFor / 1000),
    },
    {
      name: 'lifesign_probe_up',
      help: 'Whether a probe passes: 1, else 0.',
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
