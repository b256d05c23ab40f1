import * as reports from './reports.js';

/** In what is published, this loads it when it is called: see scripts/rooms.mjs. */
export const loadReports = (): typeof reports => reports;
