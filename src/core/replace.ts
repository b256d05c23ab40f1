import { isObject } from './objects.js';
import { shared } from './runtime.js';

/** The member that ours replaced, and whether it may be restored. */
interface Layer {
  readonly before: PropertyDescriptor | undefined;
  over: boolean;
}

/** By the function or object that we put there; the same for all copies of the package, which replace the same members. */
const layers = /* @__PURE__ */ shared('layers', () => new WeakMap<object, Layer>());

/**
 * Replaces a member of an object that is not ours. The function that it returns restores the old one, in any order if several
 * are restored. A member that other code has replaced since stays: theirs calls ours, which must do nothing then.
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
    restore(owner, name);
  };
}

function restore(owner: object, name: PropertyKey): void {
  for (let layer = top(owner, name); layer?.over === true; layer = top(owner, name)) {
    if (layer.before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, layer.before);
  }
}

function top(owner: object, name: PropertyKey): Layer | undefined {
  const member: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
  return typeof member === 'function' || isObject(member) ? layers.get(member) : undefined;
}

/** Whether something is open, what it does each time it opens, and what it restores when it closes. */
export class Closable {
  readonly #closers = new Set<() => void>();
  readonly #openers: (() => void)[] = [];
  #closed = false;

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

  /** Restores all that was replaced, the last first. May be called again. */
  close(): void {
    this.#closed = true;
    for (const close of [...this.#closers].toReversed()) close();
    this.#closers.clear();
  }

  reopen(): void {
    if (!this.#closed) return;
    this.#closed = false;
    for (const open of this.#openers) open();
  }
}
