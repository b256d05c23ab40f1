import type { Channel } from 'node:diagnostics_channel';
import { catchRejection } from '../objects.js';
import type { LoopBlock } from '../loop.js';
import type { Level, Status } from './result.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Heartbeat, RunSource } from './heartbeat.js';
import type { Report } from './report.js';
import { host, shared } from '../runtime.js';

/** A Health, as the listeners of its signals know it. */
export interface Sender {
  readonly options: ResolvedOptions<never>;
  heartbeat(): Promise<Heartbeat>;
  close(): void;
}

/** The payload of a heartbeat signal. */
export interface HeartbeatEvent {
  readonly level: Level;
  readonly status: Status;
  readonly report: Report;
  /** The reason for the run: `'heartbeat'`, or `'probe'` for a run that `/readyz` or `/livez` needed. */
  readonly source: RunSource;
  /** The Health whose heartbeat it was. */
  readonly health: Sender;
}

/** The payload of the signals for a blocked event loop, sent once the block has ended. */
export interface LoopEvent extends LoopBlock {
  /** The Health whose watchdog detected it. */
  readonly health: Sender;
}

/** The verdicts of the probes, sent when one has changed. */
export interface VerdictChange {
  /** The verdict of `/livez`: `fail` if a restart would help. */
  readonly live: 'pass' | 'fail';
  /** The verdict of `/readyz`: whether this instance may get traffic. */
  readonly ready: 'pass' | 'fail';
  /** The verdict of `/startupz`: whether the application has started. */
  readonly started: 'pass' | 'fail';
  /** The failing checks, with their scope and the evidence for it. */
  readonly checks: readonly {
    readonly name: string;
    readonly scope: 'instance' | 'shared';
    readonly evidence: string;
  }[];
}

/** The payload of `verdictChanged`. */
export interface VerdictEvent extends VerdictChange {
  /** The Health whose probes found it. */
  readonly health: Sender;
}

/** The signals and their payloads. */
export interface Signals {
  heartbeatPassed: HeartbeatEvent;
  heartbeatFailed: HeartbeatEvent;
  loopBlocked: LoopEvent;
  loopFreed: LoopEvent;
  verdictChanged: VerdictEvent;
}

/** `heartbeatPassed`, `heartbeatFailed`, `loopBlocked`, `loopFreed` or `verdictChanged`. */
export type SignalName = keyof Signals;

/** A listener of one signal, and the user's function: `once` wraps it. */
interface Listening {
  readonly call: (event: never) => unknown;
  readonly original: unknown;
}

/** Listeners by signal, with the familiar `on`, `once` and `off`; works on runtimes without `node:events`. */
export class SignalEmitter {
  /** The lists are replaced, never changed: one may be in use. */
  readonly #listeners = new Map<SignalName, readonly Listening[]>();

  /** Calls `listener` for each such signal. A listener that throws is logged and breaks nothing. */
  on<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    return this.#set(name, [...this.#of(name), { call: listener, original: listener }]);
  }

  /** Calls `listener` only for the next such signal. */
  once<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    const call = (event: Signals[Name]) => {
      const others = this.#of(name).filter((other) => other.call !== call);
      this.#set(name, others);
      return listener(event);
    };
    return this.#set(name, [...this.#of(name), { call, original: listener }]);
  }

  /** Removes a listener, however it was added; the latest one if it was added more than once. */
  off<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    const list = this.#of(name);
    const latest = list.findLastIndex(({ original }) => original === listener);
    return this.#set(name, list.toSpliced(latest, latest === -1 ? 0 : 1));
  }

  /** How many listeners a signal has. */
  listenerCount(name: SignalName): number {
    return this.#of(name).length;
  }

  /** @internal */
  send<Name extends SignalName>(name: Name, event: Signals[Name], onError: (thrown: unknown) => void): void {
    for (const { call } of this.#of(name)) {
      try {
        // An asynchronous listener fails later.
        catchRejection(Reflect.apply(call, undefined, [event]), onError);
      } catch (thrown) {
        onError(thrown);
      }
    }
  }

  #of(name: SignalName): readonly Listening[] {
    return this.#listeners.get(name) ?? [];
  }

  #set(name: SignalName, list: readonly Listening[]): this {
    this.#listeners.set(name, list);
    return this;
  }
}

/** The signals of every Health in the process, for code without access to the object. */
export const signals: SignalEmitter = /* @__PURE__ */ shared('signals', () => new SignalEmitter());

/** The channels of Node by signal: to find one takes longer than a check. */
const channels = /* @__PURE__ */ new Map<SignalName, Channel | undefined>();

function channel(name: SignalName): Channel | undefined {
  if (!channels.has(name))
    channels.set(name, host.getBuiltinModule?.('node:diagnostics_channel').channel(`lifesign.${name}`));
  return channels.get(name);
}

/** Calls all listeners, also the subscribers of Node's channel; `event` is created only if there are any. */
export function emitSignal<Name extends SignalName>(
  own: SignalEmitter,
  name: Name,
  event: () => Signals[Name],
  logError: (msg: string, thrown: unknown) => void,
): void {
  const listeners = own.listenerCount(name) + signals.listenerCount(name);
  if (listeners === 0 && channel(name)?.hasSubscribers !== true) return;
  const onError = (thrown: unknown) => logError(`A listener for ${name} threw`, thrown);
  const payload = event();
  Object.freeze(payload);
  own.send(name, payload, onError);
  signals.send(name, payload, onError);
  channel(name)?.publish(payload);
}
