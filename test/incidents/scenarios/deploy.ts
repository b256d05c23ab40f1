// A rolling deploy under load: SIGTERM for one instance after the other.
import type { Play } from '../list.js';
import { figuresOf, wiringOf, withFleet } from '../shop.js';

export const play: Play = async (setUp) => {
  const limit = 60_000;
  const outcome = await withFleet(wiringOf(setUp), 2, (fleet) =>
    fleet.suffer(() => fleet.deploy(), { lasting: 500, limit, clients: 20, rest: 10 }),
  );
  const figures = figuresOf(outcome, limit, 'nothing');
  return {
    ...figures,
    noticed: '–',
    recovered: figures.lost === 0 ? 'nothing to recover from' : 'no: the next deploy does it again',
  };
};
