import { commands, elements } from './commands.js';
import type { Family } from './family.js';
import { pairs } from './pairs.js';
import { privateKeys } from './private-keys.js';
import { rows } from './rows.js';
import { bots, schemed, tokens } from './tokens.js';
import { logins, paths, urls } from './urls.js';

/** In this order: one family must not remove half of another's match. */
export const families: readonly Family[] = [
  rows,
  privateKeys,
  urls,
  logins,
  paths,
  commands,
  elements,
  pairs,
  schemed,
  bots,
  tokens,
];

/** @internal The text without secrets, of any length: only `scrub` limits it. */
export function scrubWhole(text: string, withData = false): string {
  let scrubbed = text;
  for (const family of families) {
    if (!(withData && family === rows) && family.hint.test(scrubbed)) scrubbed = family.scrub(scrubbed);
  }
  return scrubbed;
}
