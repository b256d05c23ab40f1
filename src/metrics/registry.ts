import { metricTaken } from './errors.js';
import type { MetricsRegistry } from '../core/options/metrics.js';
import type { ResolvedOptions } from '../core/options/options.js';

/** A family as a registry of `prom-client` prints it. */
export interface RegistryFamily {
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly object[];
}

const baseNames =
  'build_info heartbeat_level heartbeat_failed heartbeats_total check_level check_up check_capped check_duration_seconds check_runs_total check_last_success_timestamp_seconds check_message certificate_expiry_timestamp_seconds start_time_seconds draining log_lines_dropped_total event_loop_utilization heap_limit_bytes memory_limit_bytes memory_used_bytes';
const watchdogNames = ' event_loop_blocks_total event_loop_blocked_seconds_total';
const probeNames = ' probe_up';

/**
 * The names of the families that a Health adds to a registry, known before their code is loaded. Those of the runtime that prom-client
 * has are left to its `collectDefaultMetrics`, which throws if a name is taken.
 */
export function namesFor({
  metrics,
  probes,
  watchdog,
}: Pick<ResolvedOptions<never>, 'metrics' | 'probes' | 'watchdog'>): readonly string[] {
  const own =
    `${baseNames}${watchdog === undefined ? '' : watchdogNames}${probes === undefined ? '' : probeNames}`.split(
      ' ',
    );
  const requests = metrics?.requests === true ? ['http_server_request_duration_seconds'] : [];
  return [...own.map((name) => `lifesign_${name}`), ...requests];
}

/** Adds the families to a registry, all or none; returns a function that removes them. Throws if a name is taken. */
export function addToRegistry(
  registry: MetricsRegistry,
  names: readonly string[],
  collect: (name: string) => Promise<RegistryFamily>,
): () => void {
  for (const name of names) if (registry.getSingleMetric(name) !== undefined) throw metricTaken(name);
  const add = (metric: object) => Reflect.apply(Reflect.get(registry, 'registerMetric'), registry, [metric]);
  const added = names.map((name) => {
    const metric = {
      // The registry changes it when it writes OpenMetrics, which names counters without their suffix.
      name,
      type: name.endsWith('_total') ? 'counter' : '',
      aggregator: /_total$|duration/.test(name) ? 'sum' : 'max',
      get: async () => ({ name: metric.name, ...(await collect(name)) }),
      reset() {},
    };
    add(metric);
    return [name, metric] as const;
  });
  return () => {
    for (const [name, metric] of added) {
      if (registry.getSingleMetric(name) === metric) registry.removeSingleMetric(name);
    }
  };
}
