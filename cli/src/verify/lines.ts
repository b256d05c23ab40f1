import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from '../../../src/tools.js';

/** A line of a log; of one that is too long only its beginning is kept. */
export interface Line {
  readonly text: string;
  readonly tooLong: boolean;
}

export const maxLineLength = 1024 * 1024;
const shownOfLongest = 100;
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

/** The lines of a text, however long they are, in the memory of one. */
export async function* linesOf(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  const add = (piece: string) => {
    length += piece.length;
    if (length > endless) throw new Error(`a line has more than ${endless} characters, so this is not a log`);
    if (length <= maxLineLength) pieces.push(piece);
    else if (pieces.length === 0) pieces.push(piece.slice(0, shownOfLongest));
  };
  const line = (): Line => {
    const text = pieces.join('');
    const tooLong = length > maxLineLength;
    [pieces, length] = [[], 0];
    return { text: tooLong ? text.slice(0, shownOfLongest) : text, tooLong };
  };
  for await (const chunk of content) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      add(text.slice(start, end));
      yield line();
      start = end + 1;
    }
    add(text.slice(start));
  }
  if (length > 0) yield line();
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
