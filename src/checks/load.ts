import * as room from './room.js';

/** The published package loads this on demand: see scripts/rooms.mjs. */
export const loadChecks = (): typeof room => room;
