import { wordsOf } from './children.js';

/** Bundles with `watch` in them run on workers, too. */
const started = (): Partial<NodeJS.Process> => globalThis.process ?? {};

const named = /(?:^|[\s"'=/\\])lifesign[/\\](?:auto|dist[/\\](?:cjs[/\\])?auto[/\\]index\.js)(?=$|[\s"'])/;

/**
 * Whether this process was started with `lifesign/auto`, by a flag of Node or in `NODE_OPTIONS`. Applications import the same
 * module for `watch`, and that turns nothing on. `HEALTH_AUTO` decides if it is set: for a file of your own that is preloaded
 * and imports it, or to turn it off in one process. `here` is the file that asks, which may have been named by its path.
 */
export function isAsked(here: string | undefined): boolean {
  const { HEALTH_AUTO: decided = '' } = started().env ?? {};
  return decided === '' ? isPreloaded(here) : /^(?:true|1)$/i.test(decided);
}

/** Whether a flag of Node or `NODE_OPTIONS` names it. */
export function isPreloaded(here: string | undefined): boolean {
  const { env = {}, execArgv = [] } = started();
  const { NODE_OPTIONS: options = '' } = env;
  const path = here?.replace(/^file:\/\//, '') ?? '';
  return [...execArgv, ...wordsOf(options).map(({ text }) => text)].some(
    (flag) => named.test(flag) || (path !== '' && flag.includes(path)),
  );
}
