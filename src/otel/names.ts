import { type Attributes, identityOf } from './identity.js';

/** The name of a metric family in OpenTelemetry: dots, no unit and no `total`; the unit is separate. */
interface Instrument {
  readonly name: string;
  /** As UCUM writes it. */
  readonly unit: string;
  /** If OpenTelemetry has another value for the same thing. */
  readonly help?: string;
  readonly convert?: (value: number) => number;
}

/** By the names that Prometheus has for them. Requests are the affair of the instrumentations: `http.server.request.duration`. */
export const instrumentOf: Readonly<Record<string, Instrument>> = {
  lifesign_build_info: { name: 'lifesign.build.info', unit: '1' },
  lifesign_heartbeat_level: { name: 'lifesign.heartbeat.level', unit: '1' },
  lifesign_heartbeat_failed: { name: 'lifesign.heartbeat.failed', unit: '1' },
  lifesign_heartbeats_total: { name: 'lifesign.heartbeats', unit: '{heartbeat}' },
  lifesign_check_level: { name: 'lifesign.check.level', unit: '1' },
  lifesign_check_up: { name: 'lifesign.check.up', unit: '1' },
  lifesign_check_capped: { name: 'lifesign.check.capped', unit: '1' },
  lifesign_check_duration_seconds: { name: 'lifesign.check.duration', unit: 's' },
  lifesign_check_runs_total: { name: 'lifesign.check.runs', unit: '{run}' },
  lifesign_check_last_success_timestamp_seconds: { name: 'lifesign.check.last_success', unit: 's' },
  lifesign_check_message: { name: 'lifesign.check.message', unit: '1' },
  lifesign_certificate_expiry_timestamp_seconds: { name: 'lifesign.certificate.expiry', unit: 's' },
  lifesign_start_time_seconds: {
    name: 'process.uptime',
    unit: 's',
    help: 'The time the process has been running.',
    convert: (started) => Date.now() / 1000 - started,
  },
  lifesign_draining: { name: 'lifesign.draining', unit: '1' },
  lifesign_log_lines_dropped_total: { name: 'lifesign.log.lines_dropped', unit: '{line}' },
  lifesign_event_loop_blocks_total: { name: 'lifesign.event_loop.blocks', unit: '{block}' },
  lifesign_event_loop_blocked_seconds_total: { name: 'lifesign.event_loop.blocked_time', unit: 's' },
  lifesign_heap_limit_bytes: { name: 'lifesign.heap.limit', unit: 'By' },
  lifesign_memory_limit_bytes: { name: 'lifesign.memory.limit', unit: 'By' },
  lifesign_memory_used_bytes: { name: 'lifesign.memory.usage', unit: 'By' },
  lifesign_probe_up: { name: 'lifesign.probe.up', unit: '1' },
};

const attributeOf: Readonly<Record<string, string>> = {
  check: 'lifesign.check.name',
  status: 'lifesign.status',
  id: 'lifesign.message.id',
  probe: 'lifesign.probe.name',
  build: 'cicd.pipeline.run.url.full',
};

/** Labels as attributes. Those of the build have the names of the resource; one that is empty has no attribute. */
export function attributesOf(labels: Attributes): Attributes {
  const attributes: Record<string, string> = 'commit' in labels ? { ...identityOf(labels) } : {};
  for (const [label, value] of Object.entries(labels)) {
    const name = attributeOf[label];
    if (name !== undefined && value !== '') attributes[name] = value;
  }
  return attributes;
}
