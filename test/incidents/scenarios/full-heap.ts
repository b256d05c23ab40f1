// The heap fills up, and garbage collection takes half of the time from then on.
import { join } from 'node:path';
import type { Play } from '../list.js';
import { calm, causeIn, figuresOf, seconds, wiringOf, withFleet } from '../shop.js';

const app = join(import.meta.dirname, '../apps/heap.mjs');
const limit = 60_000;

export const play: Play = async (setUp) => {
  const [library = ''] = setUp.split(',');
  const wiring = wiringOf(library, { args: ['--max-old-space-size=100', '--expose-gc', app, setUp] });
  let restarted: number | undefined;
  const outcome = await withFleet(wiring, 2, (fleet) =>
    fleet.suffer(
      async () => {
        const [instance] = fleet.instances;
        await fetch(`${instance?.origin}/fill`);
        // It answers all the time: only a restart ends it.
        for (const began = performance.now(); performance.now() - began < limit;) {
          await new Promise((resolve) => setTimeout(resolve, 200));
          if (instance === undefined || instance.restarts === 0) continue;
          restarted = performance.now() - began;
          return;
        }
      },
      { lasting: 500, ...calm },
    ),
  );
  const figures = figuresOf(outcome, limit, causeIn(outcome.said));
  const recovered =
    restarted === undefined ? `no, not within ${limit / 1000} s` : `after ${seconds(restarted)}`;
  return { ...figures, recovered };
};
