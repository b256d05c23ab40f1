import { closeSync, constants, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { describe, fileUnusable } from '../../../src/tools.js';
import type { Change } from './changes.js';

/** A file that is open for its change. */
interface Target {
  readonly file: number;
  readonly change: Change;
  readonly old: Buffer;
  /** Bytes from the start of the file that are no longer the old ones. */
  written: number;
}

/** Windows does not have the flag. */
const noFollow = constants.O_NOFOLLOW ?? 0;

/** Writes all changes or none: all files are open before the first byte is written, and a failure restores what was written. */
export function writeAll(changes: readonly Change[]): void {
  const targets: Target[] = [];
  let current = '';
  try {
    // Those that are created come last: until then nothing was done.
    for (const change of changes.toSorted(
      (a, b) => Number(a.before === undefined) - Number(b.before === undefined),
    )) {
      current = change.path;
      targets.push(opened(change));
    }
    for (const target of targets) {
      current = target.change.path;
      write(target);
    }
  } catch (thrown) {
    const lost = targets.filter((target) => !isRestored(target)).map(({ change }) => change.path);
    const outcome =
      lost.length === 0
        ? 'nothing was changed'
        : `${lost.join(', ')} could not be restored, the others are as before`;
    throw fileUnusable(current, 'written', `${describe(thrown)}; ${outcome}`);
  } finally {
    for (const { file } of targets) closeSync(file);
  }
}

function opened(change: Change): Target {
  const { path, before } = change;
  // Creating it fails for whatever has the name already, also for a symbolic link to nothing.
  if (before === undefined) return { file: openSync(path, 'wx'), change, old: Buffer.alloc(0), written: 0 };
  const file = openSync(path, constants.O_RDWR | noFollow);
  const old = Buffer.from(before);
  if (readFileSync(file).equals(old)) return { file, change, old, written: 0 };
  closeSync(file);
  throw new Error('it was changed after init had read it');
}

/** In place, so that its mode and owner stay. It becomes shorter last: a full disk can always take the old bytes back. */
function write(target: Target): void {
  const { file, change } = target;
  const bytes = Buffer.from(change.after);
  while (target.written < bytes.length)
    target.written += writeSync(file, bytes, target.written, bytes.length - target.written, target.written);
  ftruncateSync(file, bytes.length);
}

function isRestored({ file, change, old, written }: Target): boolean {
  const { path, before } = change;
  try {
    if (before === undefined) rmSync(path);
    else {
      const end = Math.min(written, old.length);
      for (let at = 0; at < end;) at += writeSync(file, old, at, end - at, at);
      ftruncateSync(file, old.length);
    }
    return true;
  } catch {
    return false;
  }
}
