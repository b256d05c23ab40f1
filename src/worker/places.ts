import { closeSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { portInvalid, shown } from '../core/options/errors.js';
import { workerFile, workerPlace } from './errors.js';
import { listenOptions, usualHost } from '../core/options/variables.js';
import { readOption } from '../core/options/read-options.js';
import { integer, optional, text } from '../core/options/rules.js';
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

const portRule = optional(integer(0, 65_535));

/** One less than the kernel's limit, for the end of the text: 108 on Linux, 104 on macOS. */
const maxSocketPath = process.platform === 'darwin' ? 103 : 107;

/** Reads and checks the options, or their variables. `nameOf` returns the caller's name of an option. */
export function resolvePlaces(given: PlaceOptions, nameOf: NameOf = (option) => option): Places {
  const read = (name: 'socket' | 'file') => {
    const path = readOption(given[name], name, optional(text), undefined, nameOf(name));
    return path === undefined
      ? undefined
      : { path, from: given[name] === undefined ? variable(name) : `Option ${nameOf(name)}` };
  };
  // HEALTH_PORT is read beside PORT, below.
  const port =
    given.port === undefined
      ? undefined
      : readOption(given.port, 'port', portRule, undefined, nameOf('port'));
  const socket = read('socket');
  const file = read('file');
  if (socket !== undefined) requireOnlySocket(socket, port, given.socket === undefined, nameOf);
  // A file takes the place of the default port, not of one that was set.
  const wanted = port !== undefined || file === undefined || (environment()['HEALTH_PORT'] ?? '') !== '';
  return {
    tcp: socket === undefined && wanted ? tcpOf(port) : undefined,
    socket: socket && usableSocket(socket.path, socket.from),
    file: file && usableFile(file.path),
  };
}

const variable = (option: 'socket' | 'file') => `HEALTH_${option.toUpperCase()}`;

/** Throws if both a socket and a port were given: which of them is meant is not for us to guess. */
function requireOnlySocket(
  socket: { readonly path: string; readonly from: string },
  port: number | undefined,
  isVariable: boolean,
  nameOf: NameOf,
): void {
  const one = 'A worker serves its endpoints either on a port or on a socket:';
  if (port !== undefined) {
    throw workerPlace(
      `${socket.from} is ${shown(socket.path)} and ${nameOf('port')} is ${port}`,
      `${one} omit one of them.`,
    );
  }
  const named = ['PORT', 'HEALTH_PORT'].find((name) => (environment()[name] ?? '') !== '');
  // The code wins over the environment, as everywhere.
  if (!isVariable || named === undefined) return;
  throw workerPlace(
    `${socket.from} is ${shown(socket.path)} and ${named} is ${shown(environment()[named])}`,
    `${one} unset one of them, or write { socket: ${shown(socket.path)} } in the code.`,
  );
}

function tcpOf(port: number | undefined): Places['tcp'] {
  const { HEALTH_PORT: own = '', PORT: numbered = '' } = environment();
  if (port !== undefined) return { host: usualHost(), port };
  if (own !== '' && numbered !== '' && own !== numbered) {
    throw workerPlace(
      `PORT is ${shown(numbered)} and HEALTH_PORT is ${shown(own)}`,
      'A worker has one port: unset one of them, or write { port } in the code.',
    );
  }
  if (own === '') return listenOptions();
  const parsed = portRule.fromText?.(own);
  if (typeof parsed !== 'number' || !portRule.accepts(parsed)) throw portInvalid(own, 'HEALTH_PORT');
  return { host: usualHost(), port: parsed };
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
