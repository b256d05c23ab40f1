import * as features from './features-room.js';

/** The published package loads this on demand: see scripts/rooms.mjs. */
export const loadFeatures = (): typeof features => features;
