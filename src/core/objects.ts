import { attempt, shared } from './runtime.js';

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** An object as it is written in code: of no class, whichever realm it is from. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A class is a function too, but calling it only throws. */
export function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

/** Binds methods to their object: compilers call decorators without `this`, and so does `const { check } = health`. */
export function bindMethods(owner: object, ...names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = Reflect.get(owner, name);
    if (typeof method !== 'function') continue;
    Object.defineProperty(owner, name, { value: method.bind(owner), writable: true, configurable: true });
  }
}

/** The name of a function, without what `bind` puts before it; empty for anything else. */
export function nameOf(value: unknown): string {
  return typeof value === 'function' ? value.name.replace(/^(?:bound )+/, '') : '';
}

/** Whether a value is an error, also one of another realm: those of Node are not instances of Jest's `Error`. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Whether a value has a method `then`. Throws if reading it throws. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    (isObject(value) || typeof value === 'function') && 'then' in value && typeof value.then === 'function'
  );
}

/** Passes the rejection of a promise that a function of the user returned to `onError`: unhandled, it would end the process. Whether it was a promise. */
export function catchRejection(value: unknown, onError: (thrown: unknown) => void): boolean {
  if (!isPromise(value)) return false;
  Promise.resolve(value).catch(onError);
  return true;
}

/** A property of anything that was thrown: getters and proxies may throw themselves. */
export const read = (value: object, key: string): unknown => attempt(() => Reflect.get(value, key));

export function textIn(value: object, key: string): string | undefined {
  const text = read(value, key);
  return typeof text === 'string' ? text : undefined;
}

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
