import { host } from '../runtime.js';

// Found at the first request: loading node:crypto takes longer than loading all of this package.
let makeId: (() => string) | undefined;

/** A random UUID, version 4. */
export function newId(): string {
  makeId ??= onNode() ?? (() => globalThis.crypto.randomUUID());
  return makeId();
}

/** Ids for which random bytes are taken at once. */
const batch = 128;
const [length, dash] = [16, 45];

/**
 * The same as `randomUUID` of Node, in one piece: that one is a string of 20 parts, and joining them for the log takes longer than
 * this. contributing/performance.md has the figures.
 */
function onNode(): (() => string) | undefined {
  const crypto = host.getBuiltinModule?.('node:crypto');
  if (crypto === undefined || typeof Buffer === 'undefined') return undefined;
  const digits = Buffer.from('0123456789abcdef');
  const random = Buffer.alloc(batch * length);
  const text = Buffer.alloc(36, dash);
  let start = random.length;
  return () => {
    if (start === random.length) {
      crypto.randomFillSync(random);
      start = 0;
    }
    let place = 0;
    for (let index = 0; index < length; index += 1) {
      let byte = random[start + index] ?? 0;
      if (index === 6) byte = (byte & 0x0f) | 0x40;
      if (index === 8) byte = (byte & 0x3f) | 0x80;
      if (index === 4 || index === 6 || index === 8 || index === 10) place += 1;
      text[place] = digits[byte >> 4] ?? 0;
      text[place + 1] = digits[byte & 0x0f] ?? 0;
      place += 2;
    }
    start += length;
    return text.toString('latin1');
  };
}
