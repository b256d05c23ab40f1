// The index of a single-page application answers the path of the health check, and a release comes without its database.
import { join } from 'node:path';
import type { Fleet } from '../../faults/fleet/fleet.js';
import type { Play } from '../list.js';
import { calm, figuresOf, wiringOf, withFleet } from '../shop.js';

const app = join(import.meta.dirname, '../apps/pages.mjs');
/** A misspelled path, as in a manifest: the application answers it. */
const misspelled = { name: 'misspelled', ready: '/ready', live: '/alive', monitor: '/ready' };

export const play: Play = async (setUp, quick) => {
  const [library = ''] = setUp.split(',');
  const args = [app, library];
  const wiring = library === setUp ? wiringOf(setUp, { args }) : { ...misspelled, args };
  let rotation: readonly number[] = [];
  const suffer = (fleet: Fleet) => {
    const wrong = 'postgres://app:wrong@127.0.0.1:5432/postgres';
    const release = async (begin: () => void) => {
      await fleet.instances[0]?.replace({ DATABASE_URL: wrong });
      begin();
    };
    return fleet.suffer(release, {
      beginsLater: true,
      lasting: quick === true ? 3000 : 10_000,
      end: async () => {
        rotation = await fleet.inRotation();
        if (quick !== true) await fleet.instances[0]?.replace();
      },
      limit: quick === true ? 1 : 60_000,
      ...calm,
    });
  };
  const outcome = await withFleet(wiring, 2, suffer, quick === true ? '10s' : '2s');
  const { said, ...figures } = figuresOf(outcome, 60_000);
  return {
    ...figures,
    recovered: 'no: rolled back by hand',
    said: `${said}; ${rotation.length} of 2 in rotation`,
  };
};
