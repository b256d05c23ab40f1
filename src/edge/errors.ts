import { LifesignError } from '../core/options/errors.js';

/** For features that the edge build leaves out. `instead` says what to write there. */
export const notOnEdge = (what: string, instead = 'Omit it on this runtime') =>
  new LifesignError(
    'LIFESIGN_EDGE',
    `${what} is not available on edge workers, which have no sockets, files or threads, and keep nothing between requests. ${instead}.`,
  );

/** Stands for a function that is not there. */
export function absent(what: string, instead?: string): () => never {
  return () => {
    throw notOnEdge(what, instead);
  };
}
