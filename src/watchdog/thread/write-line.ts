import { type Descriptor, openOutput, type OutputName } from '../../logging/stdout/descriptor.js';

/** Opened for the first line: most processes are never blocked. */
let output: Descriptor | undefined;
/** Milliseconds to wait for a reader, and between looks. */
const writeTimeout = 500;
const retryAfter = 5;

/**
 * Writes a line to the log, whole or not at all: a pipe takes 4,096 bytes in one piece. False if it has no
 * room, or half a line is in it: then the main thread writes it when it is free again.
 */
export function writeLine(line: string, to: OutputName, isMidLine: () => boolean): boolean {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const bytes = Buffer.from(`${line}\n`);
  const deadline = performance.now() + writeTimeout;
  output ??= openOutput(to);
  let start = 0;
  while (start < bytes.length) {
    if (start === 0 && isMidLine()) return false;
    try {
      start += writeSync(output.fd, bytes, start);
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
      if (code !== 'EAGAIN' && code !== 'EINTR') return false;
      // Half a line is finished, however long its reader takes; only the main thread could write here too.
      if (start === 0 && performance.now() > deadline) return false;
      if (performance.now() > deadline + 10 * writeTimeout) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfter);
    }
  }
  return true;
}
