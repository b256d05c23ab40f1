import { attempt } from './runtime.js';

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

/** Whether a value, which may be a function itself, has functions of these names: loggers and registries are recognised by their shape. */
export function hasFunctions(value: unknown, ...names: readonly string[]): value is object {
  if (!isObject(value) && typeof value !== 'function') return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** The name of a function, without what `bind` puts before it; empty for anything else. */
export function nameOf(value: unknown): string {
  return typeof value === 'function' ? value.name.replace(/^(?:bound )+/, '') : '';
}

/** Whether a value is an error, also one of another realm: Node's are not instances of Jest's `Error`. */
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
