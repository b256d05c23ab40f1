// checks/built-in.ts on edge workers, as far as it is used there: no client is recognised.
import type * as all from '../checks/built-in.js';
import { notOnEdge } from '../core/options/errors.js';

export const clientOptions: readonly all.ClientOption[] = ['db', 'migrations', 'redis', 'broker'];

const isClient = (name: string) => clientOptions.some((option) => option === name);

export const withoutClients: typeof all.withoutClients = (options) => {
  const of = (wanted: boolean) => Object.entries(options).filter(([name]) => isClient(name) === wanted);
  return {
    clients: Object.fromEntries(of(true)),
    rest: Object.assign({}, Object.fromEntries<never>(of(false))),
  };
};

export const registerBuiltIns: typeof all.registerBuiltIns = (_health, given) => {
  for (const [option, client] of Object.entries(given)) {
    if (client === undefined) continue;
    throw notOnEdge(
      `Option ${option}`,
      "Write a check of your own: health.check('name', async ({ signal }) => …)",
    );
  }
};
