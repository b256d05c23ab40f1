// What small checks load: without the rest of what the checks of clients share.
export { reasonOf } from './reasons.js';
