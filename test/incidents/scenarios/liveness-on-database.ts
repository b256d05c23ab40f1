// Every query takes longer than usual for a while: the pools are busy, and nothing is broken.
import type { Play } from '../list.js';
import { asOwner, figuresOf, wiringOf, withFleet } from '../shop.js';

const page = (seconds: number) =>
  `CREATE OR REPLACE FUNCTION page() RETURNS int LANGUAGE sql AS $$ SELECT 1 FROM pg_sleep(${seconds}) $$`;

export const play: Play = async (setUp) => {
  const limit = 60_000;
  const outcome = await withFleet(wiringOf(setUp), 2, (fleet) =>
    fleet.suffer(() => asOwner(fleet.database, page(0.8)), {
      lasting: 15_000,
      end: () => asOwner(fleet.database, page(0.02)),
      limit,
      clients: 48,
      // They wait: whoever is served late is not lost.
      patience: 20_000,
    }),
  );
  return figuresOf(outcome, limit);
};
