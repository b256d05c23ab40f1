import * as adopt from './adopt.js';

/** The published package loads this on demand: see scripts/rooms.mjs. */
export const loadAdopt = (): typeof adopt => adopt;
