import * as adopt from './adopt.js';

/** In what is published, this loads it when it is called: see scripts/rooms.mjs. */
export const loadAdopt = (): typeof adopt => adopt;
