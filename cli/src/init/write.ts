import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileUnusable } from '../../../src/command/errors.js';
import { describe } from '../../../src/core/scrub/scrub.js';
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
  const deleted: Target[] = [];
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
      if (!target.change.isDeleted) write(target);
    }
    for (const target of targets.filter(({ change }) => change.isDeleted)) {
      current = target.change.path;
      rmSync(current);
      deleted.push(target);
    }
  } catch (thrown) {
    const lost = targets.filter((target) => !isRestored(target, deleted)).map(({ change }) => change.path);
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
  const { path, before, isDeleted } = change;
  // Creating it fails for whatever has the name already, also for a symbolic link to nothing.
  if (before === undefined) return { file: openSync(path, 'wx'), change, old: Buffer.alloc(0), written: 0 };
  if (isDeleted) accessSync(dirname(path), constants.W_OK);
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

function isRestored(target: Target, deleted: readonly Target[]): boolean {
  const { file, change, old, written } = target;
  const { path, before } = change;
  try {
    if (before === undefined) rmSync(path);
    else if (deleted.includes(target)) writeFileSync(path, old, { flag: 'wx', mode: fstatSync(file).mode });
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
