import * as features from './features-room.js';

/** In what is published, this loads it when it is called: see scripts/rooms.mjs. */
export const loadFeatures = (): typeof features => features;
