// A release with a wrong password is rolled out: the next instance when the platform says that the one before is ready.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../../faults/fleet/fleet.js';
import type { Play } from '../list.js';
import { calm, figuresOf, wiringOf, withFleet } from '../shop.js';

const patience = 6000;

/** Whether a platform sees the instance ready before it stops the roll-out. */
async function isReady(fleet: Fleet, index: number): Promise<boolean> {
  for (const until = performance.now() + patience; performance.now() < until; await sleep(200)) {
    if ((await fleet.inRotation()).includes(index)) return true;
  }
  return false;
}

async function rollOut(fleet: Fleet, replaced: number[], begin: () => void): Promise<void> {
  for (const [index, instance] of fleet.instances.entries()) {
    replaced.push(index);
    const wrong = 'postgres://app:wrong@127.0.0.1:5432/postgres';
    await instance.replace({ DATABASE_URL: wrong });
    begin();
    // HAProxy has seen the old process until now.
    await sleep(500);
    if (!(await isReady(fleet, index))) return;
  }
}

export const play: Play = async (setUp) => {
  const replaced: number[] = [];
  const size = 3;
  const outcome = await withFleet(wiringOf(setUp), size, (fleet) =>
    fleet.suffer((begin) => rollOut(fleet, replaced, begin), {
      beginsLater: true,
      lasting: 6000,
      end: () => Promise.all(fleet.instances.slice(0, replaced.length).map((instance) => instance.replace())),
      ...calm,
    }),
  );
  const { said, ...figures } = figuresOf(outcome, 60_000);
  const recovered = 'no: rolled back by hand';
  return { ...figures, recovered, said: `${said}; ${replaced.length} of ${size} replaced` };
};
