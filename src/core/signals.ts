import type { HealthCore } from './health.js';
import type { LogRecord } from './log.js';
import type { Level, Status } from './messages.js';
import type { Report } from './report.js';
import { host } from './runtime.js';
import { shared } from './shared.js';

/** What a listener is told of a heartbeat. */
export interface HeartbeatEvent {
  readonly level: Level;
  readonly status: Status;
  readonly report: Report;
  /** The object whose heartbeat it was. */
  readonly health: HealthCore<never>;
}

/** The signals and what they carry. */
export interface Signals {
  heartbeatPassed: HeartbeatEvent;
  heartbeatFailed: HeartbeatEvent;
}

/** `heartbeatPassed` or `heartbeatFailed`. */
export type SignalName = keyof Signals;

type Listener = (event: HeartbeatEvent) => unknown;

/** Listeners by signal, with the familiar `on`, `once` and `off`; runs where `node:events` does not. */
export class SignalEmitter {
  readonly #listeners = new Map<SignalName, Listener[]>();

  /** Calls `listener` for each such heartbeat. A listener that throws is logged and breaks nothing. */
  on<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  /** Calls `listener` for the next such heartbeat only. */
  once<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    const wrapped = (event: HeartbeatEvent) => {
      this.off(name, wrapped);
      return listener(event);
    };
    return this.on(name, wrapped);
  }

  /** Takes a listener away. */
  off<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    const rest = (this.#listeners.get(name) ?? []).filter((other) => other !== listener);
    this.#listeners.set(name, rest);
    return this;
  }

  /** How many listeners a signal has. */
  listenerCount(name: SignalName): number {
    return this.#listeners.get(name)?.length ?? 0;
  }

  /** @internal */
  send(name: SignalName, event: HeartbeatEvent, onError: (thrown: unknown) => void): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        // An asynchronous listener fails later: it must not become an unhandled rejection.
        Promise.resolve(listener(event)).catch(onError);
      } catch (thrown) {
        onError(thrown);
      }
    }
  }
}

/** The signals of every Health in the process, for those who do not hold the object. */
export const signals: SignalEmitter = /* @__PURE__ */ shared('signals', () => new SignalEmitter());

const diagnostics = host.getBuiltinModule?.('node:diagnostics_channel');
const channels = {
  heartbeatPassed: diagnostics?.channel('lifesign.heartbeatPassed'),
  heartbeatFailed: diagnostics?.channel('lifesign.heartbeatFailed'),
};

/** Tells everyone who listens; `event` is made only when somebody does. */
export function emitSignal(
  own: SignalEmitter,
  name: SignalName,
  event: () => HeartbeatEvent,
  log: (record: LogRecord) => void,
): void {
  const channel = channels[name];
  if (own.listenerCount(name) + signals.listenerCount(name) === 0 && channel?.hasSubscribers !== true) return;
  const onError = (error: unknown) =>
    log({
      logger: 'health',
      level: 40,
      time: Date.now(),
      fields: {},
      msg: `A listener of ${name} threw`,
      error,
    });
  const made = event();
  own.send(name, made, onError);
  signals.send(name, made, onError);
  channel?.publish(made);
}
