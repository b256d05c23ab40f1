// The limits of the probes, one of them shorter: a test does not wait for it.
export * from '../../../src/probes/limits.js';

export const settling = 1000;
