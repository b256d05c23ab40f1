// checks/clients.ts and checks/load.ts on edge workers: no client is recognised.
import type * as all from '../checks/clients.js';
import { noClient } from './errors.js';

export const clientOptions = ['db', 'migrations', 'redis', 'broker'];

export const withoutClients: typeof all.withoutClients = (options) => {
  for (const option of clientOptions) {
    if (Reflect.get(options, option) !== undefined) throw noClient(option);
  }
  return { clients: {}, rest: options };
};

// Functions, and not constants: bundlers leave out calls of empty functions.
export function isClientGiven(): undefined {}
export function loadChecks(): undefined {}
