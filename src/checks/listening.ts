import { host } from '../core/runtime.js';
import { call, property } from './client.js';

/** Listens to a client of the application, for as long as there is that client. */
export function listen(emitter: unknown, event: string | symbol, heard: (...given: unknown[]) => void): void {
  call(emitter, 'on', event, heard);
}

/** The same before all other listeners: the client's own may call the application, which answers in the same tick. */
export function listenFirst(emitter: unknown, event: string, heard: (...given: unknown[]) => void): void {
  call(emitter, 'prependListener', event, heard);
}

/** Hears of errors without being a listener for them: a first one would keep an error from ending the process. */
export function overhear(emitter: unknown, heard: (error: unknown) => void): void {
  const monitor = host.getBuiltinModule?.('node:events').errorMonitor;
  if (monitor !== undefined) listen(emitter, monitor, heard);
}

/**
 * Has a method of a client tell that it was called, where the client has no event for it. The method does what it did, and
 * its errors are thrown.
 */
export function follow(client: object, name: string, called: (given: readonly unknown[]) => void): void {
  const original = property(client, name);
  if (typeof original !== 'function') return;
  const followed = function (this: unknown, ...given: unknown[]): unknown {
    const returned: unknown = Reflect.apply(original, this, given);
    called(given);
    return returned;
  };
  Reflect.set(client, name, followed);
}
