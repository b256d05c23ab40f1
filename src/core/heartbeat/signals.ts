import { tend } from '../guard.js';
import type { LogRecord } from '../log.js';
import type { Level, Status } from './messages.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Heartbeat } from './heartbeat.js';
import type { Report } from './report.js';
import { host } from '../runtime.js';
import { shared } from '../shared.js';

/** A Health, as the listeners of its signals know it. */
interface Sender {
  readonly options: ResolvedOptions<never>;
  heartbeat(): Promise<Heartbeat>;
  close(): void;
}

/** What a listener is told of a heartbeat. */
export interface HeartbeatEvent {
  readonly level: Level;
  readonly status: Status;
  readonly report: Report;
  /** The object whose heartbeat it was. */
  readonly health: Sender;
}

/** The signals and what they carry. */
export interface Signals {
  heartbeatPassed: HeartbeatEvent;
  heartbeatFailed: HeartbeatEvent;
}

/** `heartbeatPassed` or `heartbeatFailed`. */
export type SignalName = keyof Signals;

type Listener = (event: HeartbeatEvent) => unknown;

/** A listener, and what the user gave: `once` wraps it. */
interface Listening {
  readonly call: Listener;
  readonly given: Listener;
}

/** Listeners by signal, with the familiar `on`, `once` and `off`; runs where `node:events` does not. */
export class SignalEmitter {
  readonly #listeners = new Map<SignalName, readonly Listening[]>();

  /** Calls `listener` for each such heartbeat. A listener that throws is logged and breaks nothing. */
  on<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    return this.#add(name, { call: listener, given: listener });
  }

  /** Calls `listener` for the next such heartbeat only. */
  once<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    const listening: Listening = {
      given: listener,
      call: (event) => {
        this.#listeners.set(
          name,
          this.#of(name).filter((other) => other !== listening),
        );
        return listener(event);
      },
    };
    return this.#add(name, listening);
  }

  /** Takes a listener away, however it was added; the latest one where it was added more than once. */
  off<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    const latest = this.#of(name).findLastIndex(({ given }) => given === listener);
    this.#listeners.set(
      name,
      this.#of(name).filter((_other, index) => index !== latest),
    );
    return this;
  }

  /** How many listeners a signal has. */
  listenerCount(name: SignalName): number {
    return this.#of(name).length;
  }

  /** @internal */
  send(name: SignalName, event: HeartbeatEvent, onError: (thrown: unknown) => void): void {
    for (const { call } of this.#of(name)) {
      try {
        // An asynchronous listener fails later.
        tend(call(event), onError);
      } catch (thrown) {
        onError(thrown);
      }
    }
  }

  #of(name: SignalName): readonly Listening[] {
    return this.#listeners.get(name) ?? [];
  }

  #add(name: SignalName, listening: Listening): this {
    this.#listeners.set(name, [...this.#of(name), listening]);
    return this;
  }
}

/** The signals of every Health in the process, for those who do not hold the object. */
export const signals: SignalEmitter = /* @__PURE__ */ shared('signals', () => new SignalEmitter());

const diagnostics = host.getBuiltinModule?.('node:diagnostics_channel');
const channels = {
  heartbeatPassed: diagnostics?.channel('lifesign.heartbeatPassed'),
  heartbeatFailed: diagnostics?.channel('lifesign.heartbeatFailed'),
};

/** Tells everyone who listens, and whether anybody did; `event` is made only then. */
export function emitSignal(
  own: SignalEmitter,
  name: SignalName,
  event: () => HeartbeatEvent,
  log: (record: LogRecord) => void,
): boolean {
  const channel = channels[name];
  if (own.listenerCount(name) + signals.listenerCount(name) === 0 && channel?.hasSubscribers !== true) {
    return false;
  }
  const onError = (error: unknown) =>
    log({
      logger: 'health',
      level: 40,
      time: Date.now(),
      fields: {},
      msg: `A listener of ${name} threw`,
      error,
    });
  const made = Object.freeze(event());
  own.send(name, made, onError);
  signals.send(name, made, onError);
  channel?.publish(made);
  return true;
}
