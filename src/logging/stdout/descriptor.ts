import { attempt, host } from '../../core/runtime.js';

/** Where lines go. */
export type OutputName = 'stdout' | 'stderr';

const descriptors: Readonly<Record<OutputName, number>> = { stdout: 1, stderr: 2 };
/** Bytes that a pipe takes whole or not at all, also beside other processes (PIPE_BUF; POSIX guarantees 512). */
const pipeBuf = host.platform === 'linux' ? 4096 : 512;
/** The same of a socket, which a parent process in Node gives to its children: Linux queues such a write in one buffer. */
const socketBuf = host.platform === 'linux' ? 32 * 1024 : 512;

/** Standard output or standard error, as lines are written to it. */
export interface Descriptor {
  readonly fd: number;
  /** Bytes that are written whole or not at all. */
  readonly piece: number;
  /** Makes a shared descriptor non-blocking again, before each write. */
  readonly unblock: (() => void) | undefined;
}

/**
 * Opens an output for writes that never block. Blocking mode belongs to the open file, which processes share: a Node process
 * that ends restores it for all. So a pipe and a terminal are opened a second time, which Linux allows, and no other process can change that mode.
 */
export function openOutput(name: OutputName): Descriptor {
  const output = descriptors[name];
  const fs = host.getBuiltinModule?.('node:fs');
  const stat = attempt(() => fs?.fstatSync(output));
  const isPipe = stat?.isFIFO() === true;
  const isSocket = stat?.isSocket() === true;
  const piece = isPipe ? pipeBuf : isSocket ? socketBuf : Infinity;
  const isTerminal =
    stat?.isCharacterDevice() === true && host.getBuiltinModule?.('node:tty').isatty(output) === true;
  // Deno would ask its user for the permission.
  if ((isPipe || isTerminal) && host.platform === 'linux' && !('Deno' in globalThis)) {
    const fd = attempt(() => {
      const { O_WRONLY = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs?.constants ?? {};
      return fs?.openSync(`/proc/self/fd/${output}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    });
    if (fd !== undefined) return { fd, piece, unblock: undefined };
  }
  return { fd: output, piece, unblock: isPipe || isSocket ? () => unblock(name) : undefined };
}

/** Node has made its stream non-blocking; this does it again. */
function unblock(name: OutputName): void {
  const handle: unknown = Reflect.get(Object(host[name]), '_handle');
  const setBlocking: unknown = Reflect.get(Object(handle), 'setBlocking');
  if (typeof setBlocking === 'function') Reflect.apply(setBlocking, handle, [false]);
}
