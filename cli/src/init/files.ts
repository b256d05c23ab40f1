import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { relative, sep } from 'node:path';

/** A FIFO without a writer does not block, and Windows has no such flag. */
const reading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function bytesOf(path: string): Buffer | undefined {
  try {
    const file = openSync(path, reading);
    try {
      return fstatSync(file).isFile() ? readFileSync(file) : undefined;
    } finally {
      closeSync(file);
    }
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
  /** Why a file is left as it is, by its path. */
  readonly #left = new Map<string, string>();

  /** The folder is a real path. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Text of a file in UTF-8, wherever it is; one in another encoding is named. */
  read(path: string): string | undefined {
    const bytes = bytesOf(path);
    const text = bytes?.toString();
    // A text in UTF-16 has zeros.
    if (bytes === undefined || (isUtf8(bytes) && !bytes.includes(0))) return text;
    this.#left.set(path, 'is not UTF-8');
    return undefined;
  }

  /** Text of a file that may be changed; a file that may not is named. */
  own(path: string): string | undefined {
    return this.leaves(path) ? undefined : this.read(path);
  }

  /** Whether a file that is there must not be changed; it is named then. */
  leaves(path: string): boolean {
    const reason = this.#reasonFor(path);
    if (reason !== undefined) this.#left.set(path, reason);
    return reason !== undefined;
  }

  /** `server.js is a symbolic link`, for each file that was left. */
  get left(): string[] {
    return [...this.#left].map(
      ([path, reason]) => `${relative(this.#directory, path).split(sep).join('/')} ${reason}`,
    );
  }

  /** Why a file was left. */
  reasonOf(path: string): string | undefined {
    return this.#left.get(path);
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
