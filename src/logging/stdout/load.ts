import * as lines from './lines.js';

/** In what is published, this loads it when it is called: see scripts/rooms.mjs. */
export const loadLines = (): typeof lines => lines;
