import * as drain from '../http/drain/first.js';

/** The published package loads this on demand: see scripts/rooms.mjs. */
export const loadDrain = (): typeof drain => drain;
