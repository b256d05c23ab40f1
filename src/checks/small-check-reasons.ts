// Small checks load this part, without the code that the checks of clients share.
export { reasonOf } from './reasons.js';
