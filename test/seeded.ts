// What tests get as `fast-check`: generated values are those of the seed.
import fc from '../node_modules/fast-check/lib/fast-check.js';
import { seed } from './seed.js';

fc.configureGlobal({ seed });

export * from '../node_modules/fast-check/lib/fast-check.js';
export default fc;
