import { isObject } from './objects.js';

/** Whether a value is an error, also one of another realm: those of Node are not instances of Jest's `Error`. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Whether a value has a method `then`. May throw if the value has a getter that does. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    (isObject(value) || typeof value === 'function') && 'then' in value && typeof value.then === 'function'
  );
}

/**
 * Whether a value is a promise of the language, even if the global `Promise` was replaced. Not any thenable: a query of knex
 * is one, and asking it for its outcome would send it.
 */
export function isRealPromise(value: unknown): value is PromiseLike<unknown> {
  return Object.prototype.toString.call(value) === '[object Promise]';
}

/**
 * Handles a result of the user's function that is not a plain value: the rejection of a promise
 * goes to `onError`, and not to the process, which would end. Never throws. Whether it was a promise.
 */
export function catchRejection(value: unknown, onError: (thrown: unknown) => void): boolean {
  // The usual case, without a look at anything.
  if (value === undefined || typeof value === 'boolean') return false;
  try {
    if (!isPromise(value)) return false;
    // Called once and not unwrapped: a promise of itself would keep the event loop busy forever.
    void value.then(ignore, onError);
  } catch (thrown) {
    onError(thrown);
  }
  return true;
}

/** The outcome of a value or a promise, in a box: a promise of itself, unwrapped, would keep the event loop busy forever. */
export function boxed(outcome: unknown): Promise<{ readonly value: unknown }> {
  return new Promise((resolve, reject) => {
    if (isPromise(outcome)) void outcome.then((value) => resolve({ value }), reject);
    else resolve({ value: outcome });
  });
}

const ignore = () => {};
