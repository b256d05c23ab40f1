import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from '../../../src/command/io.js';
import { untilQuiet } from './until-quiet.js';

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
