import type { Channel } from 'node:diagnostics_channel';
import type { LogRecord } from '../log.js';
import { host } from '../runtime.js';
import { type SignalEmitter, type SignalName, type Signals, signals } from './signals.js';

const channels = new Map<SignalName, Channel | undefined>();

/** The channel of Node on which a signal is published too. */
function channelOf(name: SignalName): Channel | undefined {
  if (!channels.has(name)) {
    channels.set(name, host.getBuiltinModule?.('node:diagnostics_channel').channel(`lifesign.${name}`));
  }
  return channels.get(name);
}

/** Calls all listeners, and returns whether there were any; `event` is created only then. */
export function emitSignal<Name extends SignalName>(
  own: SignalEmitter,
  name: Name,
  event: () => Signals[Name],
  log: (record: LogRecord) => void,
): boolean {
  const channel = channelOf(name);
  if (own.listenerCount(name) + signals.listenerCount(name) === 0 && channel?.hasSubscribers !== true) {
    return false;
  }
  const onError = (error: unknown) =>
    log({
      logger: 'health',
      level: 40,
      time: Date.now(),
      fields: {},
      msg: `A listener for ${name} threw`,
      error,
    });
  const made = event();
  Object.freeze(made);
  own.send(name, made, onError);
  signals.send(name, made, onError);
  channel?.publish(made);
  return true;
}
