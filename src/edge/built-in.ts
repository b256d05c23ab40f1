// checks/built-in.ts on edge workers, as far as it is used there: no client is recognised.
import type * as all from '../checks/built-in.js';
import { notOnEdge } from './errors.js';

export const clientOptions: readonly all.ClientOption[] = ['db', 'migrations', 'redis', 'broker'];

const isClient = (name: string) => clientOptions.some((option) => option === name);

export const withoutClients: typeof all.withoutClients = (options) => {
  const parts = Object.entries(options).map(([name, value]) => ({ name, part: { [name]: value } }));
  const of = (wanted: boolean) =>
    parts.filter(({ name }) => isClient(name) === wanted).map(({ part }) => part);
  return { clients: Object.assign({}, ...of(true)), rest: Object.assign({}, ...of(false)) };
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
