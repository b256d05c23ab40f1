// A blip of the network: nothing passes over the pooled connections from now on, and new ones work.
import type { Play } from '../list.js';
import { calm, figuresOf, wiringOf, withFleet } from '../shop.js';

export const play: Play = async (setUp, quick) => {
  const limit = quick !== true ? 40_000 : setUp === 'lifesign' ? 60_000 : 6000;
  const outcome = await withFleet(wiringOf(setUp), quick === true ? 1 : 2, (fleet) =>
    fleet.suffer(() => fleet.tunnels.forEach((tunnel) => tunnel.blackhole()), {
      lasting: 1000,
      limit,
      ...calm,
    }),
  );
  return figuresOf(outcome, limit);
};
