import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, fileUnusable } from '../../../src/tools.js';
import type { Change } from './changes.js';

/** Writes all changes or none: if one fails, those before it are taken back. */
export function writeAll(changes: readonly Change[]): void {
  const begun: Change[] = [];
  let current = '';
  try {
    for (const { path, before } of changes) {
      current = path;
      if (readFileSync(path, 'utf8') !== before) throw new Error('it was changed after init had read it');
    }
    for (const change of changes) {
      current = change.path;
      const file = openSync(change.path, 'r+');
      begun.push(change);
      fill(file, Buffer.from(change.after));
    }
  } catch (thrown) {
    const lost = begun.filter((change) => !isRestored(change)).map(({ path }) => path);
    const outcome =
      lost.length === 0
        ? 'nothing was changed'
        : `${lost.join(', ')} could not be restored, the others are as before`;
    throw fileUnusable(current, 'written', `${describe(thrown)}; ${outcome}`);
  }
}

/** In place, so that its mode and owner stay. It becomes shorter last: a full disk can always take the old bytes back. */
function fill(file: number, bytes: Buffer, length = bytes.length): void {
  try {
    writeFileSync(file, bytes);
    ftruncateSync(file, length);
  } finally {
    closeSync(file);
  }
}

function isRestored({ path, before }: Change): boolean {
  try {
    const [old, now] = [Buffer.from(before), readFileSync(path)];
    let end = old.length;
    while (end > 0 && old[end - 1] === now[end - 1]) end -= 1;
    fill(openSync(path, 'r+'), old.subarray(0, end), old.length);
    return true;
  } catch {
    return false;
  }
}
