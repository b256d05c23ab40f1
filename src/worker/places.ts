import { closeSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { portIn, usualHost, usualPort } from '../core/options/variables.js';
import { readOption } from '../core/options/read-options.js';
import { integer, optional, requireValue, text } from '../core/options/rules.js';
import { attempt, environment } from '../core/runtime.js';
import { codeOf, workerFile, workerPlace } from './errors.js';

/** Where a worker reports its health. */
export interface PlaceOptions {
  /** The port of the endpoints on `HOST`; 0 picks a free one. Default: `PORT`, or 8000 if it is not set. */
  readonly port?: number | undefined;
  /** A file that is touched while the checks pass, every 10 seconds or as `every` says, for platforms that can send no request. Also `HEALTH_FILE`. Default: none. */
  readonly file?: string | undefined;
}

/** The names of these options. */
export const placeNames: readonly (keyof PlaceOptions)[] = ['port', 'file'];

/** Where the endpoints of a worker are, and its file: at least one of the two. */
export interface Places {
  readonly tcp: { readonly host: string; readonly port: number } | undefined;
  readonly file: string | undefined;
}

/** Reads and checks the options, or their variables. `portName`: the caller's name for the port. */
export function resolvePlaces(given: PlaceOptions, portName = 'port'): Places {
  // HEALTH_PORT is read beside PORT, below.
  const port = requireValue(given.port, optional(integer(0, 65_535)), portName);
  const file = readOption(given.file, 'file', optional(text), undefined);
  // A file replaces the default port, not of one that was set.
  const wanted = port !== undefined || file === undefined || Boolean(environment()['HEALTH_PORT']);
  return {
    tcp: wanted ? { host: usualHost(), port: port ?? portByVariables() } : undefined,
    file: file && usableFile(file),
  };
}

function portByVariables(): number {
  const port = portIn('PORT');
  const own = portIn('HEALTH_PORT');
  if (own !== undefined && port !== undefined && own !== port) {
    throw workerPlace(
      `PORT is ${port} and HEALTH_PORT is ${own}`,
      'A worker has one port: unset one of them, or write { port } in the code.',
    );
  }
  return own ?? port ?? usualPort;
}

/** The path of a file that can be opened: whether it can is found out by doing so. */
function usableFile(given: string): string {
  const path = resolve(given);
  if (attempt(() => statSync(path).isFile()) === false) throw workerFile(path, 'it is not a regular file');
  try {
    closeSync(openSync(path, 'a'));
  } catch (thrown) {
    const code = codeOf(thrown);
    throw workerFile(path, code === 'ENOENT' ? 'its directory does not exist' : code, thrown);
  }
  return path;
}
