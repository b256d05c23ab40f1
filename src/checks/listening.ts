import { type CheckHost, withHost, type Check } from '../core/heartbeat/check.js';
import { levels } from '../core/heartbeat/messages.js';
import { Closable } from '../core/replace.js';
import { attempt, host, shared } from '../core/runtime.js';
import { call, hasMethods, isGetter, named, type SelfHealing } from './client.js';

/** For how long a check listens to its client. */
export class Life extends Closable {
  #current: Life | undefined;

  /** For a client that replaces the one before, whose listeners are removed now. */
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
}

/**
 * A check that listens to its client from now on, until every Health that it is registered with is closed.
 * It is made again when a Health is opened again.
 */
export function clientCheck(name: string, make: (life: Life) => Check): Check {
  let hosts = 0;
  let life = new Life();
  let check = eager(() => make(life));
  return withHost(
    named(name, (context) => check()(context)),
    ({ onClose }) => {
      if (life.closed) {
        life = new Life();
        check = eager(() => make(life));
      }
      hosts += 1;
      onClose(() => {
        hosts -= 1;
        if (hosts === 0) life.close();
      });
    },
  );
}

/** Makes something at once. If that throws, each call tries again: a run of the check reports it, and the application starts. */
export function eager<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  const get = () => (made ??= { value: make() }).value;
  attempt(get);
  return get;
}

/** The adapter of a client, or of the one that a function returns now: many return another one after each new connection. */
export function follow<Adapter>(
  given: unknown,
  adapt: (client: unknown, life: Life) => Adapter,
  life: Life,
): () => Adapter | undefined {
  if (!isGetter(given)) {
    const adapter = adapt(given, life);
    return () => adapter;
  }
  let known: { readonly client: unknown; readonly adapter: Adapter } | undefined;
  return () => {
    const client = given();
    if (client === undefined || client === null) return undefined;
    if (known?.client !== client) known = { client, adapter: adapt(client, life.next()) };
    return known.adapter;
  };
}

type Listener = (...given: unknown[]) => void;

type Event = string | symbol;

/** One listener of an event of a client, for all checks: Node warns of more than ten. */
interface SharedListener {
  readonly all: Set<Listener>;
  readonly stop: () => void;
}

const sharedListeners = new WeakMap<object, Map<Event, SharedListener>>();

/** Listens to a client of the application until the returned function is called. */
export function addListener(
  emitter: unknown,
  event: Event,
  listener: Listener,
  method: 'on' | 'prependListener' = 'on',
): () => void {
  if (!hasMethods(emitter, 'on')) return () => {};
  const events = sharedListeners.get(emitter) ?? new Map<Event, SharedListener>();
  sharedListeners.set(emitter, events);
  const key = method === 'on' ? event : `${method} ${String(event)}`;
  const shared = events.get(key) ?? shareListener(emitter, event, method);
  events.set(key, shared);
  // The same function may be given twice.
  const own: Listener = (...given) => listener(...given);
  shared.all.add(own);
  return () => {
    if (!shared.all.delete(own) || shared.all.size > 0) return;
    events.delete(key);
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
    // kafkajs returns a function that removes its listener.
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
  if (!life.closed) life.onClose(addListener(emitter, event, listener));
}

/** The same before all other listeners: the client's own may call the application, which answers in the same tick. */
export function listenFirst(life: Life, emitter: unknown, event: Event, listener: Listener): void {
  if (!life.closed) life.onClose(addListener(emitter, event, listener, 'prependListener'));
}

/** Hears of errors without being a listener for them: a first one would keep an error from ending the process. */
function addErrorMonitor(emitter: unknown, listener: (error: unknown) => void): () => void {
  const monitor = host.getBuiltinModule?.('node:events').errorMonitor;
  return monitor === undefined ? () => {} : addListener(emitter, monitor, listener);
}

/** The same for as long as the check is in use. */
export function monitorErrors(life: Life, emitter: unknown, listener: (error: unknown) => void): void {
  if (!life.closed) life.onClose(addErrorMonitor(emitter, listener));
}

/** Our listener for errors of a client, and the logs of the Healths that check it. */
interface Guard {
  readonly onError: (error: unknown) => void;
  readonly logs: Set<CheckHost['log']>;
}

/** Of all copies of the package: none takes the listener of another for the application's. */
const guards: WeakMap<object, Guard> = /* @__PURE__ */ shared('error listeners', () => new WeakMap());

/** Listens for errors of a client while the Health is open, unless the application does: an error without a listener ends the process. */
export function withErrorListener(check: Check, found: SelfHealing | undefined): Check {
  if (found === undefined) return check;
  const { client } = found;
  return withHost(check, ({ closed, log, onClose }) => {
    if (closed() || !isUnheard(client)) return;
    const guard = guards.get(client) ?? guardOf(found);
    guards.set(client, guard);
    guard.logs.add(log);
    if (listenersOf(client)?.length === 0) call(client, 'on', 'error', guard.onError);
    onClose(() => {
      guard.logs.delete(log);
      if (guard.logs.size === 0) call(client, 'removeListener', 'error', guard.onError);
    });
  });
}

function guardOf({ client, name, variable }: SelfHealing): Guard {
  const logs = new Set<CheckHost['log']>();
  let warned = false;
  const msg = `The ${name} lost a connection, and the application does not listen for its errors: without lifesign, the process would have ended. Write ${variable}.on('error', (error) => console.error(error.message));`;
  const onError = (error: unknown) => {
    if (warned || !isUnheard(client)) return;
    warned = true;
    const [log] = logs;
    log?.({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg, error });
  };
  return { onError, logs };
}

/** Whether only we listen, if anything does. Not of a client that does not show its listeners. */
function isUnheard(client: object): boolean {
  const ours = guards.get(client)?.onError;
  return listenersOf(client)?.every((each) => each === ours) ?? false;
}

function listenersOf(client: object): readonly unknown[] | undefined {
  const listeners = call(client, 'listeners', 'error');
  return Array.isArray(listeners) ? listeners : undefined;
}
