/** Replaces modules that no edge worker can load. */
export const unavailable = undefined;
