import { isObject } from './objects.js';

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
