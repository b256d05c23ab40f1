import { replace } from '../core/replace.js';
import { host } from '../core/runtime.js';
import { call, hasMethods, isObject, property } from './client.js';
import type { Life } from './life.js';

type Listener = (...given: unknown[]) => void;
type Event = string | symbol;

/** One listener of an event of a client, for all checks: Node warns of more than ten. */
interface SharedListener {
  readonly all: Set<Listener>;
  readonly stop: () => void;
}

const sharedListeners = new WeakMap<object, Map<Event, SharedListener>>();
/** The same before the listeners of the application. */
const firstListeners: typeof sharedListeners = new WeakMap();

/** Listens to a client of the application until the returned function is called. */
export function addListener(
  emitter: unknown,
  event: Event,
  listener: Listener,
  known = sharedListeners,
): () => void {
  if (!hasMethods(emitter, 'on')) return () => {};
  const events = known.get(emitter) ?? new Map<Event, SharedListener>();
  known.set(emitter, events);
  const shared =
    events.get(event) ?? shareListener(emitter, event, known === firstListeners ? 'prependListener' : 'on');
  events.set(event, shared);
  // The same function may be given twice.
  const own: Listener = (...given) => listener(...given);
  shared.all.add(own);
  return () => {
    if (!shared.all.delete(own) || shared.all.size > 0) return;
    events.delete(event);
    shared.stop();
  };
}

function shareListener(emitter: object, event: Event, method: 'on' | 'prependListener'): SharedListener {
  const all = new Set<Listener>();
  const listener: Listener = (...given) => {
    for (const each of all) each(...given);
  };
  const returned = call(emitter, method, event, listener);
  const stop = () => {
    if (hasMethods(emitter, 'removeListener')) call(emitter, 'removeListener', event, listener);
    else if (hasMethods(emitter, 'off')) call(emitter, 'off', event, listener);
    // kafkajs returns a function that takes its listener away.
    else if (typeof returned === 'function') returned();
  };
  return { all, stop };
}

/** Listens to a client of the application for as long as the check is in use. */
export function listen(life: Life, emitter: unknown, event: Event, listener: Listener): void {
  life.whileOpen(() => void life.onClose(addListener(emitter, event, listener)));
}

/** The same before all other listeners: the client's own may call the application, which answers in the same tick. */
export function listenFirst(life: Life, emitter: unknown, event: Event, listener: Listener): void {
  life.whileOpen(() => void life.onClose(addListener(emitter, event, listener, firstListeners)));
}

/** Hears of errors without being a listener for them: a first one would keep an error from ending the process. */
export function addErrorMonitor(emitter: unknown, listener: (error: unknown) => void): () => void {
  const monitor = host.getBuiltinModule?.('node:events').errorMonitor;
  return monitor === undefined ? () => {} : addListener(emitter, monitor, listener);
}

/** The same for as long as the check is in use. */
export function monitorErrors(life: Life, emitter: unknown, listener: (error: unknown) => void): void {
  life.whileOpen(() => void life.onClose(addErrorMonitor(emitter, listener)));
}

/**
 * Calls us when a method of a client is called, if the client has no event for it. The method works as before, and
 * its errors are thrown.
 */
export function onCall(
  life: Life,
  client: object,
  name: string,
  called: (given: readonly unknown[]) => void,
): void {
  life.whileOpen(() => {
    const original = property(client, name);
    if (typeof original !== 'function' || !isMember(client, name)) return;
    let open = true;
    const giveBack = replace(client, name, function (this: unknown, ...given: unknown[]): unknown {
      const returned: unknown = Reflect.apply(original, this, given);
      if (open) called(given);
      return returned;
    });
    life.onClose(() => {
      open = false;
      giveBack();
    });
  });
}

function isMember<Name extends string>(client: object, name: Name): client is Record<Name, object> {
  return isObject(property(client, name));
}
