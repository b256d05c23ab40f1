// core/scrub/scrub.ts on edge workers: the whole scrubber is there at once.
import { maxDistance } from '../core/scrub/hints.js';
import { clean } from '../core/scrub/texts.js';

export { keepData } from '../core/scrub/driver-errors.js';
export { errorCopy } from '../core/scrub/error-copy.js';
export { clean, cleanOf, describe, describePublicly, textOf } from '../core/scrub/texts.js';

export const scrub = (text: string): string => clean(text, maxDistance);
