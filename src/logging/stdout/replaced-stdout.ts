import { logLines } from '../../core/log.js';
import { host, timersEndWithRequest } from '../../core/runtime.js';
import { shared } from '../../core/shared.js';
import { mostWaiting } from './line-writer.js';

const state = /* @__PURE__ */ shared('replaced stdout', () => ({ dropped: 0, writing: false }));
const nodeConsole: unknown = host.getBuiltinModule?.('node:console');

// Node's streams inherit `write`. Bun gives each a function of its own, and a test runner with a console of its own may have
// put one there: that is then the one that counts as not replaced.
const firstWrite: unknown =
  !timersEndWithRequest && (host.versions?.['bun'] !== undefined || globalThis.console !== nodeConsole)
    ? Reflect.get(host.stdout ?? {}, 'write')
    : undefined;

// What was seen last. Asking the process for its stream takes longer than all the rest.
let known: NodeJS.WriteStream | undefined;
let ownWrite: unknown;

/**
 * Writes a line where somebody has replaced standard output or the console and wants to see it: a test runner, a
 * process manager, the main thread of a worker. False where nobody has. `first`: it is the first line of a turn.
 */
export function writeReplaced(line: string, report: (dropped: number) => string, first: boolean): boolean {
  if (first && host.stdout !== known) remember(host.stdout);
  const stream = known;
  if (stream?.write === ownWrite && globalThis.console === nodeConsole) return false;
  // A console may lead back to a logger of ours.
  if (stream === undefined || state.writing) return false;
  state.writing = true;
  try {
    if (stream.write === ownWrite) globalThis.console.log(line.trimEnd());
    else writeTo(stream, line, report);
  } catch {
    // Theirs.
  } finally {
    state.writing = false;
  }
  return true;
}

function remember(stream: NodeJS.WriteStream | undefined): void {
  known = stream;
  // A worker thread has a stream without descriptor: all of it is somebody else's.
  const isStdout = stream !== undefined && 'fd' in stream && stream.fd === 1;
  ownWrite =
    firstWrite ?? (isStdout ? Reflect.get(Reflect.getPrototypeOf(stream) ?? stream, 'write') : undefined);
}

function writeTo(stream: NodeJS.WriteStream, line: string, report: (dropped: number) => string): void {
  if (stream.writableLength > mostWaiting) {
    state.dropped += 1;
    logLines.dropped += 1;
    return;
  }
  const { dropped } = state;
  state.dropped = 0;
  if (dropped > 0) stream.write(report(dropped), ignored);
  stream.write(line, ignored);
}

/** As the console does it: a reader that is gone ends neither the process nor the application's own writes. */
function ignored(error: unknown): void {
  const stream = host.stdout;
  if (error instanceof Error && stream?.listenerCount('error') === 0) stream.once('error', () => {});
}
