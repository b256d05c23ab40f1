// A regular expression takes twelve seconds on some texts, and the event loop of one instance with it.
import type { Play } from '../list.js';
import { calm, causeIn, figuresOf, wiringOf, withFleet } from '../shop.js';

/** What the log says of it. */
const wordsIn = (log: string) => /"msg":"(The event loop has been blocked[^"]*)/.exec(log)?.[1];

export const play: Play = async (setUp) => {
  const limit = 60_000;
  let log = '';
  const wiring = wiringOf(setUp, { output: (text) => void (log += text) });
  const outcome = await withFleet(wiring, 2, (fleet) =>
    fleet.suffer(() => fetch(`${fleet.instances[0]?.origin}/search`), { lasting: 12_000, limit, ...calm }),
  );
  const words = wordsIn(log);
  return figuresOf(outcome, limit, words === undefined ? 'nothing' : causeIn(words));
};
