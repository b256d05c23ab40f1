// Everything that takes secrets out of texts: loaded when the first text may hold one.
export { keepData } from './driver-errors.js';
export { errorCopy } from './error-copy.js';
export { clean, cleanOf, describe, describePublicly, textOf } from './texts.js';
