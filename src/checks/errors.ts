import { LifesignError, shown } from '../core/options/errors.js';

const clientRefused = (problem: string) => new LifesignError('LIFESIGN_CLIENT', problem);

export const clientUnsupported = (option: string, value: unknown, supported: readonly string[]) =>
  clientRefused(
    // A string here is a connection string, with a password in it.
    `Option ${option} is ${typeof value === 'string' ? 'a string' : shown(value)}, which no built-in check supports. Supported clients: ${supported.join(', ')}. ` +
      (typeof value === 'object'
        ? ''
        : 'Pass a client, such as a Pool, and not the settings of its connection. ') +
      "For anything else, register your own check: health.check('name', fn), or in HEALTH_CHECKS { name: fn }.",
  );

export const clientFunction = (member: string, option: string) =>
  clientRefused(
    `Option ${member} is a function in an object, which may be a method of your code, so it is not called. ` +
      `Write the client itself, or a list of functions that return clients: ${option}: [() => connection].`,
  );

/** For what the build for edge workers leaves out; `instead` says what to write. */
export const notOnEdge = (what: string, instead = 'Omit it on this runtime') =>
  new LifesignError(
    'LIFESIGN_EDGE',
    `${what} is not available on edge workers, which have no sockets, files or threads, and keep nothing between requests. ${instead}.`,
  );

export const ownCheck =
  "Omit it, or write a check of your own: health.check('name', async ({ signal }) => …)";
