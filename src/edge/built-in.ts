// checks/load.ts on edge workers: no client is recognised.
import type * as all from '../checks/load.js';
import { noClient } from './errors.js';

type Room = ReturnType<typeof all.loadChecks>;

const registerBuiltIns: Room['registerBuiltIns'] = (_health, given) => {
  for (const [option, client] of Object.entries(given)) {
    if (client !== undefined) throw noClient(option);
  }
};

export const loadChecks = (): Pick<Room, 'registerBuiltIns'> => ({ registerBuiltIns });
