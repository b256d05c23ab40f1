import { attempt, host } from '../runtime.js';

/** A part of a path below which nothing is the application's own. */
const installed = /[\\/]node_modules[\\/]/;

/**
 * The application's root: the nearest directory upward from the started script with a package.json. Links are
 * followed; of a launcher in `node_modules` (a framework's own command) it is the project that has it installed.
 * The directory of the script if there is no package.json.
 */
export function applicationRoot(): string {
  // Deno may refuse to read it.
  return attempt(findRoot) ?? workingDirectory();
}

function findRoot(): string {
  const fs = host.getBuiltinModule?.('node:fs');
  const path = host.getBuiltinModule?.('node:path');
  const started = host.argv?.[1];
  if (fs === undefined || path === undefined) return '/';
  if (started === undefined || started === '') return workingDirectory();
  let start = path.resolve(started);
  try {
    start = fs.realpathSync(start);
  } catch {
    // `node server` starts server.js: its directory is the same.
  }
  const own = installed.exec(start);
  if (own !== null) return start.slice(0, own.index);
  // `node .` starts the directory's `main`.
  const first =
    fs.statSync(start, { throwIfNoEntry: false })?.isDirectory() === true ? start : path.dirname(start);
  for (let directory = first; ; directory = path.dirname(directory)) {
    if (fs.existsSync(path.join(directory, 'package.json'))) return directory;
    if (directory === path.dirname(directory)) return first;
  }
}

/** The current directory; the root if the runtime has none or refuses. */
export function workingDirectory(): string {
  return attempt(() => host.cwd?.()) ?? '/';
}

/** The directory above another. */
export function parentOf(directory: string): string {
  return host.getBuiltinModule?.('node:path').dirname(directory) ?? directory;
}
