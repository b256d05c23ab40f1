import { shared } from './shared.js';

/** Writes down why the process ends: the watchdog, if it is on. The text must be without secrets. */
export const lastWords: { say?: ((words: string) => void) | undefined } = /* @__PURE__ */ shared(
  'lastWords',
  () => ({}),
);
