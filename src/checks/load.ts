import * as room from './room.js';

/** In what is published, this loads it when it is called: see scripts/rooms.mjs. */
export const loadChecks = (): typeof room => room;
