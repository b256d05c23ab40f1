import { host } from '../../core/runtime.js';

const fs = host.getBuiltinModule?.('node:fs');

/** What a descriptor leads to; undefined where it is closed. */
export function statOf(fd: number) {
  try {
    return fs?.fstatSync(fd);
  } catch {
    // Closed: the next write says so.
    return undefined;
  }
}
