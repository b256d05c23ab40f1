import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';

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
    const reason = this.#reasonFor(path);
    if (reason !== undefined) this.left.set(path, reason);
    return reason !== undefined;
  }

  #reasonFor(path: string): string | undefined {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return 'is a symbolic link';
    if (!found.isFile()) return 'is not a regular file';
    if (found.nlink > 1) return 'has another name, by a hard link';
    const real = realpathSync(path);
    if (real !== path) return 'is in a folder that is a symbolic link';
    return real.startsWith(this.#directory + sep) ? undefined : 'is outside of the project';
  }
}
