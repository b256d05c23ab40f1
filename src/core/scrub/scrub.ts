// The part of this folder that the rest of the package uses. Most texts of a healthy application need no search: the scrubber is loaded with the first that does.
import { maxDistance, mayHide } from './hints.js';
import { loadScrubber } from './load.js';

/** The text without credentials: those in driver errors must not reach a client or a log. */
export function scrub(text: string): string {
  return clean(text, maxDistance);
}

/** The text without credentials and no longer than `maxLength` characters. */
export function clean(text: string, maxLength: number, withData = false): string {
  if (text.length <= maxLength && !mayHide(text)) return text;
  return loadScrubber().clean(text, maxLength, withData);
}

/** The text of an error, for the log: without credentials, and without rows of the database unless `logData` is on. */
export function cleanOf(text: string, thrown: unknown, maxLength: number, withData?: boolean): string {
  return loadScrubber().cleanOf(text, thrown, maxLength, withData);
}

/** The error as text: scrubbed, shortened, never a stack. Never throws itself. */
export function textOf(thrown: unknown, withData?: boolean): string {
  return loadScrubber().textOf(thrown, withData);
}

/** The same on one line and with the class of the error: `TypeError: x is not a function`. */
export function describe(thrown: unknown, withData?: boolean): string {
  return loadScrubber().describe(thrown, withData);
}

/** For responses that anyone may read: paths of files are reduced to their last part. */
export function describePublicly(thrown: unknown): string {
  return loadScrubber().describePublicly(thrown);
}

/** The error, for a logger of the application: a copy without secrets. */
export function errorCopy(thrown: unknown): unknown {
  return loadScrubber().errorCopy(thrown);
}

/** Lets formatters show database rows in this error: the option `logData`. */
export function keepData(error: unknown): void {
  loadScrubber().keepData(error);
}
