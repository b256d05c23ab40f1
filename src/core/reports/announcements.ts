import type { Features } from '../features.js';
import type { HealthLog } from '../health-log.js';
import { checkRecords } from '../heartbeat/check-log.js';
import type { Heartbeat, RunSource } from '../heartbeat/heartbeat.js';
import { type Report, reportBody } from '../heartbeat/report.js';
import { emitSignal } from '../heartbeat/emit-signal.js';
import type { HeartbeatEvent, Sender, SignalEmitter, VerdictChange } from '../heartbeat/signals.js';
import { currentRequest } from '../request/request.js';

/** Passes events on to their readers: the features, the log, and the listeners of the signals. */
export class Announcements<Request> {
  readonly #features: Features<Request>;
  readonly #log: HealthLog;
  /** Whose signals these are. */
  readonly #health: SignalEmitter & Sender;

  constructor(features: Features<Request>, log: HealthLog, health: SignalEmitter & Sender) {
    this.#features = features;
    this.#log = log;
    this.#health = health;
  }

  /** All checks have run. Returns whether there were listeners. */
  heartbeat(heartbeat: Heartbeat, source: RunSource): boolean {
    this.#features.each((feature) => feature.onHeartbeat?.(heartbeat));
    // The probes run every second: they log changes.
    if (source !== 'probe') this.#logChecks(heartbeat);
    const name = heartbeat.failed ? 'heartbeatFailed' : 'heartbeatPassed';
    const event = () => eventOf(heartbeat, source, this.#health);
    return emitSignal(this.#health, name, event, this.#log.record);
  }

  /** The checks of a group have run: this is not a heartbeat of the application, so listeners are not called. */
  group(heartbeat: Heartbeat): void {
    this.#features.each((feature) => feature.onGroupHeartbeat?.(heartbeat));
    this.#logChecks(heartbeat);
  }

  /** A verdict of the probes has changed. */
  verdict(change: VerdictChange): void {
    this.#features.each((feature) => feature.onVerdict?.(change));
    const event = () => ({ ...change, health: this.#health });
    emitSignal(this.#health, 'verdictChanged', event, this.#log.record);
  }

  /** Logs the messages of a heartbeat. */
  #logChecks(heartbeat: Heartbeat): void {
    if (heartbeat.level === 0) return;
    for (const record of checkRecords(heartbeat.results, currentRequest()?.id)) this.#log.record(record);
  }
}

/** The event of a heartbeat for listeners. Frozen, as several of them hold it. */
function eventOf(heartbeat: Heartbeat, source: RunSource, health: Sender): HeartbeatEvent {
  const { level, status } = heartbeat;
  const report: Report = JSON.parse(reportBody(heartbeat), (_key, value: unknown) => Object.freeze(value));
  return { level, status, report, source, health };
}
