import * as exchange from './exchange.js';

/** In what is published, this loads it when it is called: see scripts/rooms.mjs. */
export const loadExchange = (): typeof exchange => exchange;
