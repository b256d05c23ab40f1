import { createRequire } from 'node:module';

/** The code of the thread. It is made here while developing; scripts/build.mjs puts the text itself in the place of this file. */
export function threadSource(): string {
  const made: { threadCode: () => string } = createRequire(import.meta.url)('../../scripts/thread-code.mjs');
  return made.threadCode();
}
