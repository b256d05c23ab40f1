import { replace } from '../core/replace.js';
import { host } from '../core/runtime.js';
import { call, hasMethods, isObject, property } from './client.js';
import type { Life } from './life.js';

type Heard = (...given: unknown[]) => void;
type Event = string | symbol;

/** One listener of an event of a client, for all checks: Node warns of more than ten. */
interface Ear {
  readonly all: Set<Heard>;
  readonly stop: () => void;
}

const ears = new WeakMap<object, Map<Event, Ear>>();
/** The same before the listeners of the application. */
const firstEars: typeof ears = new WeakMap();

/** Listens to a client of the application until the returned function is called. */
export function hear(emitter: unknown, event: Event, heard: Heard, known = ears): () => void {
  if (!hasMethods(emitter, 'on')) return () => {};
  const events = known.get(emitter) ?? new Map<Event, Ear>();
  known.set(emitter, events);
  const ear = events.get(event) ?? earOf(emitter, event, known === firstEars ? 'prependListener' : 'on');
  events.set(event, ear);
  // The same function may be given twice.
  const own: Heard = (...given) => heard(...given);
  ear.all.add(own);
  return () => {
    if (!ear.all.delete(own) || ear.all.size > 0) return;
    events.delete(event);
    ear.stop();
  };
}

function earOf(emitter: object, event: Event, method: 'on' | 'prependListener'): Ear {
  const all = new Set<Heard>();
  const listener: Heard = (...given) => {
    for (const heard of all) heard(...given);
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
export function listen(life: Life, emitter: unknown, event: Event, heard: Heard): void {
  life.whileOpen(() => void life.onClose(hear(emitter, event, heard)));
}

/** The same before all other listeners: the client's own may call the application, which answers in the same tick. */
export function listenFirst(life: Life, emitter: unknown, event: Event, heard: Heard): void {
  life.whileOpen(() => void life.onClose(hear(emitter, event, heard, firstEars)));
}

/** Hears of errors without being a listener for them: a first one would keep an error from ending the process. */
export function hearErrors(emitter: unknown, heard: (error: unknown) => void): () => void {
  const monitor = host.getBuiltinModule?.('node:events').errorMonitor;
  return monitor === undefined ? () => {} : hear(emitter, monitor, heard);
}

/** The same for as long as the check is in use. */
export function overhear(life: Life, emitter: unknown, heard: (error: unknown) => void): void {
  life.whileOpen(() => void life.onClose(hearErrors(emitter, heard)));
}

/**
 * Calls us when a method of a client is called, if the client has no event for it. The method works as before, and
 * its errors are thrown.
 */
export function follow(
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
