import { closeSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { portIn, usualHost, usualPort } from '../core/options/variables.js';
import { readOption } from '../core/options/read-options.js';
import { integer, optional, requireValue, text } from '../core/options/rules.js';
import { attempt, environment } from '../core/runtime.js';
import { systemErrorCode, workerFile } from './errors.js';

/** Where a worker reports its health. */
export interface PlaceOptions {
  /** The port of the endpoints on `HOST`; 0 takes a free one. Default: `HEALTH_PORT`, else `PORT`, else 8000. */
  readonly port?: number | undefined;
  /** A file that is touched while the checks pass, every 10 seconds or as `every` says, for platforms that can send no request. Also `HEALTH_FILE`. Default: none. */
  readonly file?: string | undefined;
}

export const placeNames: readonly (keyof PlaceOptions)[] = ['port', 'file'];

/** Where the endpoints of a worker are, and its file: at least one of the two. */
export interface Places {
  readonly tcp: { readonly host: string; readonly port: number } | undefined;
  readonly file: string | undefined;
}

/** Reads and checks the options, or their variables. `portName`: the caller's name for the port. */
export function resolvePlaces(options: PlaceOptions, portName = 'port'): Places {
  const port = requireValue(options.port, optional(integer(0, 65_535)), portName);
  const file = readOption(options.file, 'file', optional(text), undefined);
  // A file replaces the default port, not one that was set.
  const hasPort = port !== undefined || file === undefined || Boolean(environment()['HEALTH_PORT']);
  return {
    tcp: hasPort
      ? { host: usualHost(), port: port ?? portIn('HEALTH_PORT') ?? portIn('PORT') ?? usualPort }
      : undefined,
    file: file && usableFile(file),
  };
}

/** The absolute path of a file that this process can touch. */
function usableFile(file: string): string {
  const path = resolve(file);
  if (attempt(() => statSync(path).isFile()) === false) throw workerFile(path, 'it is not a regular file');
  try {
    closeSync(openSync(path, 'a'));
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    throw workerFile(path, code === 'ENOENT' ? 'its directory does not exist' : code, thrown);
  }
  return path;
}
