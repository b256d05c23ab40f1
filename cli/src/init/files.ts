import { isUtf8 } from 'node:buffer';
import {
  chmodSync,
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { describe, fileUnusable } from '../../../src/tools.js';
import type { Change } from './changes.js';

/** Whether there is a regular file, also by a link. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return isFile(path) ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Text of a regular file, for a search: bytes that are not UTF-8 are replaced, so it is never written back. */
export const readText = (path: string): string | undefined => bytesOf(path)?.toString();

/** The entries of a folder; none if it is not there, cannot be read, or is a file. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const skipped = /^(?:node_modules|dist|build|out|coverage|vendor|public|\..*)$/;
/** More files than this are not read. */
const maxFiles = 5000;

/** Files of a folder, the nearest first, without installed and built ones. */
export function filesIn(directory: string): string[] {
  const folders = [directory];
  const files: string[] = [];
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !skipped.test(entry.name)) folders.push(path);
    }
    if (files.length > maxFiles) break;
  }
  return files;
}

/** The files of a project that are changed: regular ones below its folder, in UTF-8. */
export class Files {
  readonly #directory: string;
  /** Why a file is left as it is, by its path: `is a symbolic link`. */
  readonly left = new Map<string, string>();

  /** The folder is a real path. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Text of a file in UTF-8, wherever it is; one in another encoding is named. */
  read(path: string): string | undefined {
    const bytes = bytesOf(path);
    // A text in UTF-16 has zeros.
    if (bytes === undefined || (isUtf8(bytes) && !bytes.includes(0))) return bytes?.toString();
    this.left.set(path, 'is not UTF-8');
    return undefined;
  }

  /** Text of a file that may be changed; a file that may not is named. */
  own(path: string): string | undefined {
    return this.leaves(path) ? undefined : this.read(path);
  }

  /** Whether a file that is there must not be changed; it is named then. */
  leaves(path: string): boolean {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return false;
    const reasons = [
      found.isSymbolicLink() && 'is a symbolic link',
      !found.isFile() && 'is not a regular file',
      found.nlink > 1 && 'has another name, by a hard link',
      !found.isSymbolicLink() && realpathSync(path) !== path && 'is in a folder that is a symbolic link',
      !path.startsWith(this.#directory + sep) && 'is outside of the project',
    ];
    const reason = reasons.find((one) => one !== false);
    if (reason !== undefined) this.left.set(path, reason);
    return reason !== undefined;
  }
}

const next = (path: string): string => `${path}.lifesign-new`;

/** Writes all changes or none: every file is written beside the old one before the first takes its place. */
export function writeAll(changes: readonly Change[]): void {
  const replaced: string[] = [];
  let current = '';
  try {
    for (const { path, before, after } of changes) {
      current = path;
      if (readFileSync(path, 'utf8') !== before) throw new Error('it was changed after init had read it');
      writeFileSync(next(path), after, { flag: 'wx' });
      chmodSync(next(path), statSync(path).mode);
    }
    for (const { path } of changes) {
      current = path;
      renameSync(next(path), path);
      replaced.push(path);
    }
  } catch (thrown) {
    for (const { path } of changes) rmSync(next(path), { force: true });
    const outcome = replaced.length === 0 ? 'nothing was changed' : `changed before: ${replaced.join(', ')}`;
    throw fileUnusable(current, 'written', `${describe(thrown)}; ${outcome}`);
  }
}
