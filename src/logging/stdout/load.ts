import * as lines from './lines.js';

/** The published package loads this on demand: see scripts/rooms.mjs. */
export const loadLines = (): typeof lines => lines;
