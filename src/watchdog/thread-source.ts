import { host } from '../core/runtime.js';

/** The code of the thread. It is made here while developing; scripts/build.mjs puts the text itself in the place of this file. */
export function threadSource(): string {
  const require = host.getBuiltinModule?.('node:module').createRequire(import.meta.url);
  const made: { threadCode: () => string } | undefined = require?.('../../scripts/thread-code.mjs');
  return made?.threadCode() ?? '';
}
