const named = /(?:^|[\s"'=/\\])lifesign[/\\](?:auto|dist[/\\](?:cjs[/\\])?auto[/\\]index\.js)(?=$|[\s"'])/;

/**
 * Whether this process was started with `lifesign/auto`, by a flag of Node or in `NODE_OPTIONS`. Applications import the same
 * module for `watch`, and that turns nothing on. `HEALTH_AUTO` decides where it is set: for a file of your own that is preloaded
 * and imports it, or to turn it off in one process. `here` is the file that asks, which may have been named by its path.
 */
export function isAsked(here: string | undefined): boolean {
  // Bundles with `watch` in them run on workers, too.
  const started: Partial<NodeJS.Process> = globalThis.process ?? {};
  const env = started.env ?? {};
  const execArgv = started.execArgv ?? [];
  const { HEALTH_AUTO: decided = '', NODE_OPTIONS: options = '' } = env;
  if (decided !== '') return /^(?:true|1)$/i.test(decided);
  const path = here?.replace(/^file:\/\//, '') ?? '';
  return [...execArgv, options].some((flag) => named.test(flag) || (path !== '' && flag.includes(path)));
}
