import { LifesignError } from '../core/options/errors.js';

/** For features that the edge build leaves out. `instead` says what to write there. */
export const notOnEdge = (what: string, instead = 'Omit it on this runtime') =>
  new LifesignError(
    'LIFESIGN_EDGE',
    `${what} is not available on edge workers, which have no sockets, files or threads, and keep nothing between requests. ${instead}.`,
  );

const ownCheck = "Omit it, or write a check of your own: health.check('name', async ({ signal }) => …)";

/** For options that take a client. */
export const noClient = (option: string) => notOnEdge(`Option ${option}`, ownCheck);

/** In place of the factory of a check that an edge worker cannot run. */
export const absentCheck = (name: string) => (): never => {
  throw notOnEdge(`checks.${name}`, ownCheck);
};
