import { closeSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { shown } from '../core/options/errors.js';
import { workerFile, workerPlace } from './errors.js';
import { portIn, usualHost, usualPort } from '../core/options/variables.js';
import { readOption } from '../core/options/read-options.js';
import { integer, optional, requireValue, text } from '../core/options/rules.js';
import { attempt, environment } from '../core/runtime.js';

/** Where a worker reports its health. */
export interface PlaceOptions {
  /** The port of the endpoints on `HOST`; 0 takes a free one. Default: `PORT`, or 8000 if it is not set. */
  readonly port?: number | undefined;
  /** A Unix socket instead of a port. Also `HEALTH_SOCKET`. Default: none. */
  readonly socket?: string | undefined;
  /** A file that is touched while the checks pass, every 10 seconds or as `every` says, for platforms that support neither. Also `HEALTH_FILE`. Default: none. */
  readonly file?: string | undefined;
}

/** The names of these options. */
export const placeNames: readonly (keyof PlaceOptions)[] = ['port', 'socket', 'file'];

/** The caller's name for an option. */
type NameOf = (option: keyof PlaceOptions) => string;

/** Where the endpoints of a worker are, and its file: at least one of the three. */
export interface Places {
  readonly tcp: { readonly host: string; readonly port: number } | undefined;
  readonly socket: string | undefined;
  readonly file: string | undefined;
}

/** One less than the kernel's limit, for the end of the text: 108 on Linux, 104 on macOS. */
const maxSocketPath = process.platform === 'darwin' ? 103 : 107;

/** Reads and checks the options, or their variables. `nameOf` returns the caller's name of an option. */
export function resolvePlaces(given: PlaceOptions, nameOf: NameOf = (option) => option): Places {
  const read = (name: 'socket' | 'file') =>
    readOption(given[name], name, optional(text), undefined, nameOf(name));
  // HEALTH_PORT is read beside PORT, below.
  const port = requireValue(given.port, optional(integer(0, 65_535)), nameOf('port'));
  const socket = read('socket');
  const file = read('file');
  const from = given.socket === undefined ? 'HEALTH_SOCKET' : `Option ${nameOf('socket')}`;
  if (socket !== undefined) requireOnlySocket(socket, from, port, nameOf);
  // A file takes the place of the default port, not of one that was set.
  const wanted = port !== undefined || file === undefined || isSet('HEALTH_PORT');
  return {
    tcp: socket === undefined && wanted ? { host: usualHost(), port: port ?? portByVariables() } : undefined,
    socket: socket && usableSocket(socket, from),
    file: file && usableFile(file),
  };
}

const isSet = (variable: string) => (environment()[variable] ?? '') !== '';

/** Throws if both a socket and a port were given: which of them is meant is not for us to guess. */
function requireOnlySocket(socket: string, from: string, port: number | undefined, nameOf: NameOf): void {
  const refuse = (other: string, write: string) =>
    workerPlace(
      `${from} is ${shown(socket)} and ${other}`,
      `A worker serves its endpoints either on a port or on a socket: ${write}`,
    );
  if (port !== undefined) throw refuse(`${nameOf('port')} is ${port}`, 'omit one of them.');
  const variable = ['PORT', 'HEALTH_PORT'].find(isSet);
  // The code wins over the environment, as everywhere.
  if (from !== 'HEALTH_SOCKET' || variable === undefined) return;
  throw refuse(
    `${variable} is ${shown(environment()[variable])}`,
    `unset one of them, or write { socket: ${shown(socket)} } in the code.`,
  );
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

/** The path of a socket, of which nothing but a socket may be replaced. */
function usableSocket(given: string, from: string): string {
  // The pipes of Windows are not files.
  if (given.startsWith('\\\\.\\pipe\\')) return given;
  const path = resolve(given);
  const refuse = (why: string) =>
    workerPlace(`${from} is ${shown(path)}, ${why}`, 'Set it to a path such as /run/worker/health.sock.');
  // Node would cut it off, and listen somewhere else.
  const { length } = Buffer.from(path);
  if (length > maxSocketPath)
    throw refuse(`which is ${length} bytes long; a socket path may be at most ${maxSocketPath}`);
  if (attempt(() => statSync(path).isSocket()) === false)
    throw refuse('which exists and is not a socket, so it is not replaced');
  return path;
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

/** The code of an error of the system. */
export function codeOf(thrown: unknown): string {
  return String(Reflect.get(Object(thrown), 'code'));
}
