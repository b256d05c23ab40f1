import { type CheckHost, withHost, type Check } from '../core/heartbeat/check.js';
import { levels } from '../core/heartbeat/messages.js';
import { Closable, replace } from '../core/replace.js';
import { attempt, host, shared } from '../core/runtime.js';
import { call, hasMethods, isObject, named, property, type SelfHealing } from './client.js';

/** For how long a check listens to its client: as long as one of the Healths is open that it is registered with. */
export class Life extends Closable {
  readonly #hosts = new Set<CheckHost>();
  #current: Life | undefined;

  /** Takes a Health that the check is registered with, or that is opened again. */
  readonly attach = (host: CheckHost): void => {
    this.#hosts.add(host);
    this.reopen();
    host.onClose(() => {
      this.#hosts.delete(host);
      if (this.#hosts.size === 0) this.close();
    });
  };

  /** For a client that takes the place of the one before, whose part of this life ends now. */
  next(): Life {
    this.#current?.close();
    this.#current = new Life();
    if (this.closed) this.#current.close();
    return this.#current;
  }

  override close(): void {
    super.close();
    this.#current?.close();
  }

  override reopen(): void {
    super.reopen();
    this.#current?.reopen();
  }
}

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

/** Calls back whenever a pool lends a connection; undefined for a pool without events. */
export const onAcquire =
  (pool: unknown) =>
  (lent: () => void): (() => void) | undefined =>
    hasMethods(pool, 'on', 'removeListener') ? addListener(pool, 'acquire', lent) : undefined;

/** Listens to a client of the application for as long as the check is in use. */
export function listen(life: Life, emitter: unknown, event: Event, listener: Listener): void {
  life.whileOpen(() => void life.onClose(addListener(emitter, event, listener)));
}

/** The same before all other listeners: the client's own may call the application, which answers in the same tick. */
export function listenFirst(life: Life, emitter: unknown, event: Event, listener: Listener): void {
  life.whileOpen(() => void life.onClose(addListener(emitter, event, listener, firstListeners)));
}

/** Hears of errors without being a listener for them: a first one would keep an error from ending the process. */
function addErrorMonitor(emitter: unknown, listener: (error: unknown) => void): () => void {
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

/** One listener of a client, for all Healths that check it. It keeps their logs, and not the Healths. */
interface Guard {
  readonly heard: (error: unknown) => void;
  readonly logs: Set<CheckHost['log']>;
}

/** Of all copies of the package: none takes the listener of another for the application's. */
const guards: WeakMap<object, Guard> = /* @__PURE__ */ shared('error listeners', () => new WeakMap());

/** Listens for errors of a client until the Health is closed, unless the application does: an error without a listener ends the process. */
function listenForErrors(found: SelfHealing, { closed, log, onClose }: CheckHost): void {
  const { client } = found;
  if (closed() || !isUnheard(client)) return;
  const guard = guards.get(client) ?? guardOf(found);
  guards.set(client, guard);
  guard.logs.add(log);
  if (listenersOf(client)?.length === 0) call(client, 'on', 'error', guard.heard);
  onClose(() => {
    guard.logs.delete(log);
    if (guard.logs.size === 0) call(client, 'removeListener', 'error', guard.heard);
  });
}

function guardOf({ client, name, variable }: SelfHealing): Guard {
  const logs = new Set<CheckHost['log']>();
  let warned = false;
  const msg = `The ${name} lost a connection, and the application does not listen for its errors: without lifesign, the process would have ended. Write ${variable}.on('error', (error) => console.error(error.message));`;
  const heard = (error: unknown) => {
    if (warned || !isUnheard(client)) return;
    warned = true;
    const [log] = logs;
    log?.({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg, error });
  };
  return { heard, logs };
}

/** Whether only we listen, if anything does. Not of a client that does not show its listeners. */
function isUnheard(client: object): boolean {
  const ownListener = guards.get(client)?.heard;
  return listenersOf(client)?.every((each) => each === ownListener) ?? false;
}

function listenersOf(client: object): readonly unknown[] | undefined {
  const listeners = call(client, 'listeners', 'error');
  return Array.isArray(listeners) ? listeners : undefined;
}

/** Has the Health listen for errors of a client for as long as it is open, if the application does not. */
export function withErrorListener(check: Check, found: SelfHealing | undefined): Check {
  if (found === undefined) return check;
  return withHost(check, (host) => listenForErrors(found, host));
}

/** Has something measured between the runs of a check: until every Health that the check is registered with is closed, and again when one is opened. */
export function measuring<C extends Check>(check: C, begin: () => void, end: () => void): C {
  let hosts = 0;
  return withHost(check, ({ onClose }) => {
    hosts += 1;
    begin();
    onClose(() => {
      hosts -= 1;
      if (hosts === 0) end();
    });
  });
}

/** A check that listens to its client for as long as a Health that it is registered with is open. */
export function clientCheck(name: string, make: (life: Life) => Check): Check {
  const life = new Life();
  const check = eager(() => make(life));
  return withHost(
    named(name, (context) => check()(context)),
    life.attach,
  );
}

/** Makes something at once. If that throws, each call tries again: a run of the check reports it, and the application starts. */
export function eager<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  const get = () => (made ??= { value: make() }).value;
  attempt(get);
  return get;
}
