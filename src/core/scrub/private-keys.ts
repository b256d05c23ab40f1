import { type Family, Scrubbed } from './family.js';
import { hints } from './hints.js';

const mark = /-{4,5} ?(BEGIN|END) [A-Z0-9 ]{1,40}-{4,5}/g;

/** Private keys in PEM: whole, cut off at their end, or only their end. */
export const privateKeys: Family = {
  name: 'PEM',
  hint: hints.privateKeys,
  scrub(text) {
    const scrubbed = new Scrubbed(text);
    let begun = -1;
    mark.lastIndex = 0;
    for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
      const isEnd = found[1] === 'END';
      if (!isEnd) {
        if (begun === -1) begun = found.index;
        continue;
      }
      const from = begun === -1 ? bodyStart(text, scrubbed.at, found.index) : begun;
      if (from < found.index) scrubbed.hide(from, mark.lastIndex);
      begun = -1;
    }
    if (begun !== -1) scrubbed.hide(begun, text.length);
    return scrubbed.toString();
  },
};

/** Where the lines of base64 before an end begin whose beginning was cut off. */
function bodyStart(text: string, floor: number, end: number): number {
  let from = end;
  let at = end;
  for (;;) {
    while (at > floor && isBreak(text, at)) at -= 1;
    const line = at;
    while (at > floor && /[\w+/=-]/.test(text.charAt(at - 1)) && !isBreak(text, at)) at -= 1;
    if (line - at < minLength) return from;
    from = at;
  }
}

const minLength = 16;

/** Whether the character before a place is, or belongs to, the end of a line. */
function isBreak(text: string, at: number): boolean {
  const char = text.charAt(at - 1);
  if (char === '+') return /\s/.test(text.charAt(at - 2));
  return /[\s\\'"]/.test(char) || (/[nr]/.test(char) && text.charAt(at - 2) === '\\');
}
