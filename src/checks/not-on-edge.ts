import { LifesignError } from '../core/options/errors.js';

/** For what the build for edge workers leaves out; `instead` says what to write. */
export const notOnEdge = (what: string, instead = 'Omit it on this runtime') =>
  new LifesignError(
    'LIFESIGN_EDGE',
    `${what} is not available on edge workers, which have no sockets, files or threads, and keep nothing between requests. ${instead}.`,
  );

export const ownCheck =
  "Omit it, or write a check of your own: health.check('name', async ({ signal }) => …)";
