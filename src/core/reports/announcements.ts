import type { Features } from '../features.js';
import type { HealthLog } from '../health-log.js';
import { CheckLog } from '../heartbeat/check-log.js';
import type { Heartbeat, RunSource } from '../heartbeat/heartbeat.js';
import { type Report, reportBody } from '../heartbeat/report.js';
import {
  emitSignal,
  type HeartbeatEvent,
  type Sender,
  type SignalEmitter,
  type VerdictChange,
} from '../heartbeat/signals.js';
import { currentRequest } from '../request/request.js';

/** Passes events on to their readers: the features, the log, and the listeners of the signals. */
export class Announcements<Request> {
  readonly #features: Features<Request>;
  readonly #log: HealthLog;
  readonly #checkLog: CheckLog;
  /** Whose signals these are. */
  readonly #health: SignalEmitter & Sender;

  constructor(
    features: Features<Request>,
    log: HealthLog,
    health: SignalEmitter & Sender,
    failureLogInterval: number,
  ) {
    this.#features = features;
    this.#log = log;
    this.#checkLog = new CheckLog(failureLogInterval);
    this.#health = health;
  }

  /** All checks have run. Returns whether there were listeners. */
  heartbeat(heartbeat: Heartbeat, source: RunSource): boolean {
    // First: what features log of it are conclusions.
    this.#logChecks(heartbeat);
    this.#features.each((feature) => feature.onHeartbeat?.(heartbeat));
    const name = heartbeat.failed ? 'heartbeatFailed' : 'heartbeatPassed';
    const event = () => eventOf(heartbeat, source, this.#health);
    return emitSignal(this.#health, name, event, this.#log.record);
  }

  /** The checks of a group have run: this is not a heartbeat of the application, so listeners are not called. */
  group(heartbeat: Heartbeat): void {
    this.#logChecks(heartbeat);
    this.#features.each((feature) => feature.onGroupHeartbeat?.(heartbeat));
  }

  /** A verdict of the probes has changed. */
  verdict(change: VerdictChange): void {
    this.#features.each((feature) => feature.onVerdict?.(change));
    const event = () => ({ ...change, health: this.#health });
    emitSignal(this.#health, 'verdictChanged', event, this.#log.record);
  }

  #logChecks({ level, results }: Heartbeat): void {
    if (level === 0 && this.#checkLog.isClear) return;
    for (const record of this.#checkLog.records(results, currentRequest()?.id)) this.#log.record(record);
  }
}

/** The event of a heartbeat for listeners. Frozen, as several of them hold it. */
function eventOf(heartbeat: Heartbeat, source: RunSource, health: Sender): HeartbeatEvent {
  const { level, status } = heartbeat;
  const report: Report = JSON.parse(reportBody(heartbeat), (_key, value: unknown) => Object.freeze(value));
  return { level, status, report, source, health };
}
