import { isObject } from './objects.js';
import { shared } from './runtime.js';

/** The member that ours replaced. */
interface Layer {
  readonly before: PropertyDescriptor | undefined;
  over: boolean;
}

/** By the function or object that we put there; the same for all copies of the package, which replace the same members. */
const layers = /* @__PURE__ */ shared('layers', () => new WeakMap<object, Layer>());

/**
 * Replaces a member of an object that is not ours. The function that it returns gives the old one back, in whatever order several
 * are given back. A member that other code has replaced since stays: theirs calls ours, which must do nothing then.
 */
export function replace<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  member: Owner[Name] & object,
): () => void {
  const layer: Layer = { before: Object.getOwnPropertyDescriptor(owner, name), over: false };
  owner[name] = member;
  layers.set(member, layer);
  return () => {
    layer.over = true;
    giveBack(owner, name);
  };
}

function giveBack(owner: object, name: PropertyKey): void {
  for (let layer = top(owner, name); layer?.over === true; layer = top(owner, name)) {
    if (layer.before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, layer.before);
  }
}

function top(owner: object, name: PropertyKey): Layer | undefined {
  const member: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
  return typeof member === 'function' || isObject(member) ? layers.get(member) : undefined;
}

/** Whether something serves, what it does while it does, and how it gives back what it replaced. */
export class Closable {
  readonly #closers = new Set<() => void>();
  readonly #openers: (() => void)[] = [];
  #closed = false;

  /** Whether requests are no longer ours: hooks that could not be removed do nothing. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Calls a function once when this is closed; the function that it returns takes that back. */
  onClose(close: () => void): () => void {
    this.#closers.add(close);
    return () => void this.#closers.delete(close);
  }

  /** Calls a function now, unless this is closed, and whenever it is opened again. */
  whileOpen(open: () => void): void {
    this.#openers.push(open);
    if (!this.#closed) open();
  }

  /** Gives back all that was replaced, the last first: requests are the application's from now on. May be called again. */
  close(): void {
    this.#closed = true;
    for (const close of [...this.#closers].toReversed()) close();
    this.#closers.clear();
  }

  /** An application is served again, by `initApp`. */
  reopen(): void {
    if (!this.#closed) return;
    this.#closed = false;
    for (const open of this.#openers) open();
  }
}
