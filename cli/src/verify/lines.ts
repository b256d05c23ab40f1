import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from '../../../src/tools.js';

export const maxLineLength = 1024 * 1024;
const endless = 64 * maxLineLength;

/** The content of a file, or standard input for `-`; until it `hasAll` lines, if the caller waits for some. */
export function contentOf(
  file: string,
  io: Io,
  hasAll: (() => boolean) | undefined,
): AsyncIterable<string | Uint8Array> {
  if (file !== '-') return createReadStream(resolve(io.cwd, file));
  return hasAll === undefined ? io.stdin : untilQuiet(io.stdin, hasAll);
}

/** The lines of a text, in the memory of one; of a line that is too long only the beginning. */
export async function* linesOf(content: AsyncIterable<Chunk>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let [line, length] = ['', 0];
  for await (const chunk of content) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) {
        yield line;
        [line, length] = ['', 0];
      }
      length += piece.length;
      if (length > endless)
        throw new Error(`a line has more than ${endless} characters, so this is not a log`);
      if (line.length <= maxLineLength) line += piece;
    }
  }
  if (length > 0) yield line;
}

type Chunk = string | Uint8Array;

/** When to stop reading a stream that does not end, in milliseconds: after a silence, after everything expected for lines that should not come, and however much comes. */
const [quiet, afterAll, total] = [5000, 1000, 60_000];

/** Reads a stream until it ends or is quiet: the log of a running service has no end. */
async function* untilQuiet(source: AsyncIterable<Chunk>, hasAll: () => boolean): AsyncGenerator<Chunk> {
  const iterator = source[Symbol.asyncIterator]();
  const end = performance.now() + total;
  let foundAll: number | undefined;
  for (;;) {
    const now = performance.now();
    if (hasAll()) foundAll ??= now;
    const left = Math.min(quiet, end - now, foundAll === undefined ? quiet : foundAll + afterAll - now);
    const next = left > 0 ? await within(iterator.next(), left) : undefined;
    if (next === undefined) letGo(source);
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

/** The outcome of a promise, or undefined when the time is up. */
async function within<T>(promise: Promise<T>, time: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), time);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    // Of a stream that was cancelled.
    promise.catch(() => {});
  }
}

/** An open standard input would keep the process. */
function letGo(source: object): void {
  if ('destroy' in source && typeof source.destroy === 'function') source.destroy();
}
