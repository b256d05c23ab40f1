/** In place of what no edge worker can load. */
export const unavailable = undefined;
