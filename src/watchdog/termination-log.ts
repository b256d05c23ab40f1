import { attempt } from '../core/runtime.js';
import { clean } from '../core/scrub/scrub.js';

/** Bytes that Kubernetes shows of the file. */
const maxBytes = 4096;
/** Bytes that a line needs at least to say something. */
const least = 60;
const maxTextLength = 2000;
/** How our line begins: the next one replaces it, and text of others stays. */
const mark = 'lifesign: ';

/**
 * Writes why the process ends to the file that Kubernetes shows in `kubectl describe`; without words it removes its line. The
 * file is never created: without it nothing happens. Never throws.
 */
export function writeTermination(path: string | undefined, words: string | undefined): void {
  if (path !== undefined) attempt(() => writeTo(path, words));
}

function writeTo(path: string, words: string | undefined): void {
  const fs = process.getBuiltinModule('node:fs');
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  // A link could lead anywhere, and a pipe could block. Windows has neither flag: undefined adds none.
  const fd = fs.openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isCharacterDevice()) {
      if (words !== undefined) fs.writeSync(fd, lineOf(words, maxBytes));
    } else if (stat.isFile() && stat.size <= maxBytes) {
      const content = Buffer.alloc(maxBytes);
      const before = content.toString('utf8', 0, fs.readSync(fd, content, 0, maxBytes, 0));
      const theirs = withoutOurs(before);
      const line = words === undefined ? '' : lineOf(words, maxBytes - Buffer.byteLength(theirs));
      const after = Buffer.from(theirs + line);
      if (after.toString() === before) return;
      fs.writeSync(fd, after, 0, after.length, 0);
      fs.ftruncateSync(fd, after.length);
    }
  } finally {
    fs.closeSync(fd);
  }
}

function withoutOurs(content: string): string {
  const lines = content.split('\n').filter((line) => !line.startsWith(mark));
  const theirs = lines.join('\n');
  return theirs === '' || theirs.endsWith('\n') ? theirs : `${theirs}\n`;
}

/** The line, cut to this many bytes; empty if there is no room for one. */
function lineOf(words: string, room: number): string {
  if (room < least) return '';
  const text = `${mark}${new Date().toISOString()} ${clean(words, maxTextLength).replaceAll(/\s+/g, ' ')}`;
  let cut = text;
  // A character has at most four bytes.
  while (Buffer.byteLength(cut) > room - 1) {
    const excess = Buffer.byteLength(cut) - room + 1;
    cut = cut.slice(0, -Math.ceil(excess / 4)).replace(/[\uD800-\uDBFF]$/, '');
  }
  return `${cut}\n`;
}
