// core/version/version-file.ts and application-root.ts on edge workers, which have no files.
import { noFiles } from '../core/version/outcome.js';
import type * as roots from '../core/version/application-root.js';
import type * as files from '../core/version/version-file.js';

export class VersionFile implements Pick<files.VersionFile, keyof files.VersionFile> {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  read(): ReturnType<files.VersionFile['read']> {
    return Promise.resolve(noFiles);
  }
}

export const applicationRoot: typeof roots.applicationRoot = () => '/';
export const workingDirectory: typeof roots.workingDirectory = () => '/';
export const parentOf: typeof roots.parentOf = (directory) => directory;
