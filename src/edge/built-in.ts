// checks/load.ts on edge workers: no client is recognised.
import type * as all from '../checks/load.js';
import { notOnEdge } from './errors.js';

type Room = ReturnType<typeof all.loadChecks>;

const registerBuiltIns: Room['registerBuiltIns'] = (_health, given) => {
  for (const [option, client] of Object.entries(given)) {
    if (client === undefined) continue;
    throw notOnEdge(
      `Option ${option}`,
      "Write a check of your own: health.check('name', async ({ signal }) => …)",
    );
  }
};

export const loadChecks = (): Pick<Room, 'registerBuiltIns'> => ({ registerBuiltIns });
