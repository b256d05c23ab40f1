import { type Check, withHost } from '../core/heartbeat/check.js';
import { levels } from '../core/heartbeat/messages.js';
import { Closable } from '../core/replace.js';
import { attempt, host } from '../core/runtime.js';
import { adapterOf, call, hasMethods, isGetter, named } from './client.js';

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

  /** Starts something that is stopped when this is closed; nothing if it is. */
  hold(start: () => () => void): void {
    if (!this.closed) this.onClose(start());
  }

  override close(): void {
    super.close();
    this.#current?.close();
  }
}

/**
 * A check that listens to its client from now on, until every Health that it is registered with is closed.
 * Another one replaces it when a Health is opened again.
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
  let ready: { readonly value: T } | undefined;
  const get = () => (ready ??= { value: make() }).value;
  attempt(get);
  return get;
}

/** The adapter of a client, or of the one that a function returns now: many return another one after each new connection. */
export function follow<Adapter>(
  clientOrGetter: unknown,
  adapt: (client: unknown, life: Life) => Adapter,
  life: Life,
): () => Adapter | undefined {
  if (!isGetter(clientOrGetter)) {
    const adapter = adapt(clientOrGetter, life);
    return () => adapter;
  }
  let client: unknown;
  const adapter = adapterOf(
    () => client,
    (now) => adapt(now, life.next()),
  );
  return () => {
    const now = clientOrGetter();
    if (now === undefined || now === null) return undefined;
    client = now;
    return adapter();
  };
}

type Listener = (...args: unknown[]) => unknown;

type Method = 'on' | 'prependListener';

/** The one listener of all checks for an event of a client: Node warns of more than ten. */
interface SharedListener {
  readonly own: Listener;
  readonly all: Set<Listener>;
  readonly stop: () => void;
}

const sharedListeners = new WeakMap<object, Map<string | symbol, SharedListener>>();

/** Listens to a client of the application until the returned function is called. */
export function addListener(
  emitter: unknown,
  event: string | symbol,
  listener: Listener,
  method: Method = 'on',
): () => void {
  if (!hasMethods(emitter, 'on')) return () => {};
  const events = sharedListeners.get(emitter) ?? new Map<string | symbol, SharedListener>();
  sharedListeners.set(emitter, events);
  const ours = events.get(event) ?? shareListener(emitter, event, method);
  events.set(event, ours);
  // The same function may be added twice.
  const each: Listener = (...args) => listener(...args);
  ours.all.add(each);
  return () => {
    if (!ours.all.delete(each) || ours.all.size > 0) return;
    events.delete(event);
    ours.stop();
  };
}

function shareListener(emitter: object, event: string | symbol, method: Method): SharedListener {
  const all = new Set<Listener>();
  const own: Listener = (...args) => {
    for (const each of all) each(...args);
  };
  const returned = call(emitter, method, event, own);
  const remove = ['removeListener', 'off'].find((name) => hasMethods(emitter, name));
  const stop = () => {
    if (remove !== undefined) call(emitter, remove, event, own);
    // kafkajs returns a function that removes its listener.
    else if (typeof returned === 'function') returned();
  };
  return { own, all, stop };
}

/** Calls back whenever a pool checks out a connection; undefined for a pool without events. */
export const onAcquire =
  (pool: unknown) =>
  (checkedOut: () => void): (() => void) | undefined =>
    hasMethods(pool, 'on', 'removeListener') ? addListener(pool, 'acquire', checkedOut) : undefined;

export const listen = (
  life: Life,
  emitter: unknown,
  event: string | symbol,
  listener: Listener,
  method?: Method,
): void => life.hold(() => addListener(emitter, event, listener, method));

/** Monitors errors without a listener for `error`, which would keep an error from ending the process. */
export function monitorErrors(life: Life, emitter: unknown, listener: (error: unknown) => void): void {
  const monitor = host.getBuiltinModule?.('node:events').errorMonitor;
  if (monitor !== undefined) listen(life, emitter, monitor, listener);
}

/** A client that connects again by itself, but ends the process if nothing listens for its errors. */
export interface SelfHealing {
  readonly client: object;
  readonly name: string;
  /** Its variable in the application, for the line to write. */
  readonly variable: string;
}

const warned = new WeakSet<object>();

/** Listens for errors of a client while the Health is open, unless the application does: an error without a listener ends the process. */
export function withErrorListener(check: Check, selfHealing: SelfHealing | undefined): Check {
  if (selfHealing === undefined) return check;
  const { client, name, variable } = selfHealing;
  const msg = `The ${name} lost a connection, and the application does not listen for its errors: without lifesign, the process would have ended. Write ${variable}.on('error', (error) => console.error(error.message));`;
  return withHost(check, ({ closed, log, onClose }) => {
    if (closed() || !isUnheard(client)) return;
    const onError = (error: unknown) => {
      if (warned.has(client) || !isUnheard(client)) return;
      warned.add(client);
      log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg, error });
    };
    onClose(addListener(client, 'error', onError));
  });
}

/** Whether only we listen for errors, if anything does. Not of a client that does not show its listeners. */
function isUnheard(client: object): boolean {
  const listeners = call(client, 'listeners', 'error');
  const ours = sharedListeners.get(client)?.get('error')?.own;
  return Array.isArray(listeners) && listeners.every((each) => each === ours);
}
