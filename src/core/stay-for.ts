import { timersEndWithRequest } from './runtime.js';

// A file of its own: deadlines.ts belongs to code that is loaded on demand, and would draw it into every entry.
/** Milliseconds: a timer takes no more. */
const longest = 2 ** 31 - 1;

/** Keeps the process alive until the promise settles: the timer of deadlines does not, and a script that only waits would end first. */
export function stayFor<T>(promise: Promise<T>): Promise<T> {
  if (timersEndWithRequest) return promise;
  const stay = setTimeout(() => {}, longest);
  return promise.finally(() => clearTimeout(stay));
}
