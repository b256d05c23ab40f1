// The limits of a pool, some of them shorter: a test does not wait for minutes.
export * from '../../../src/checks/pools/pool.js';

export const leakedAfter = 3000;
/** Before a connection counts as leaked, as in the package. */
export const deadAfter = 2000;
