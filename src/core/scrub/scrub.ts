// The part of this folder that the rest of the package uses.
import { maxDistance, mayHide } from './hints.js';
import { clean as cleanWhole } from './texts.js';

export { keepData } from './driver-errors.js';
export { errorCopy } from './error-copy.js';
export { cleanOf, describe, describePublicly, textOf } from './texts.js';

/** The text without credentials: those in driver errors must not reach a client or a log. */
export function scrub(text: string): string {
  return clean(text, maxDistance);
}

/** The text without credentials and no longer than `maxLength` characters. */
export function clean(text: string, maxLength: number, withData = false): string {
  // Most texts of a healthy application need no search.
  if (text.length <= maxLength && !mayHide(text)) return text;
  return cleanWhole(text, maxLength, withData);
}
