// The database that all instances share is down for a while.
import type { Fleet } from '../../faults/fleet/fleet.js';
import type { Play } from '../list.js';
import { calm, figuresOf, wiringOf, withFleet } from '../shop.js';

export const play: Play = async (setUp, quick) => {
  const limit = 60_000;
  const size = quick === true ? 2 : 3;
  const suffer = (fleet: Fleet) =>
    fleet.suffer(() => fleet.database.kill(), {
      lasting: quick === true ? 4000 : 10_000,
      end: () => fleet.database.restart(),
      limit,
      ...calm,
    });
  // HAProxy takes out whoever has no CPU time: the test is about the answers.
  const outcome = await withFleet(wiringOf(setUp), size, suffer, quick === true ? '10s' : '2s');
  const { said, ...figures } = figuresOf(outcome, limit);
  return { ...figures, said: `${said}; ${outcome.fewest} of ${size} in rotation` };
};
